// Made by `workshop regenerate messages`: 08's loop over tiles, and the race that the simulator finds in it without a barrier.
const TILE_LOOP = {
  "lines": [
    {
      "number": 47,
      "code": "    for (int first = 0; first < k; first += TILE) {"
    },
    {
      "number": 50,
      "code": "        tile_a[y][x] = row < m && first + x < k ? a[row * k + first + x] : 0.0f;"
    },
    {
      "number": 51,
      "code": "        tile_b[y][x] = first + y < k && column < n ? b[(first + y) * n + column] : 0.0f;"
    },
    {
      "number": 52,
      "code": "        __syncthreads();"
    },
    {
      "number": 54,
      "code": "        for (int i = 0; i < TILE; ++i) {"
    },
    {
      "number": 55,
      "code": "            sum = fmaf(tile_a[y][i], tile_b[i][x], sum);"
    },
    {
      "number": 56,
      "code": "        }"
    },
    {
      "number": 57,
      "code": "        __syncthreads();"
    },
    {
      "number": 58,
      "code": "    }"
    }
  ],
  "barriers": [
    52,
    57
  ],
  "variants": [
    {
      "without": [],
      "race": null
    },
    {
      "without": [
        52
      ],
      "race": {
        "write": {
          "line": 51,
          "thread": [
            0,
            2,
            0
          ]
        },
        "read": {
          "line": 55,
          "thread": [
            0,
            0,
            0
          ]
        },
        "array": "tile_b",
        "element": 32,
        "message": "Thread (0, 2) of block 0 writes element 32 (byte 128) of `tile_b`, and thread 0 read it, with no barrier between the two: either may come first. Put `__syncthreads()` between these lines, where every thread of the block passes it (in a loop, also before the next round overwrites what others still read)."
      }
    },
    {
      "without": [
        57
      ],
      "race": {
        "write": {
          "line": 50,
          "thread": [
            0,
            0,
            0
          ]
        },
        "read": {
          "line": 55,
          "thread": [
            1,
            0,
            0
          ]
        },
        "array": "tile_a",
        "element": 0,
        "message": "Thread 0 of block 0 writes element 0 (byte 0) of `tile_a`, and thread 1 read it, and although both are in one warp nothing orders them: lanes of a warp do not run in lockstep. Put `__syncwarp()` (or `__syncthreads()`) between these lines."
      }
    },
    {
      "without": [
        52,
        57
      ],
      "race": {
        "write": {
          "line": 50,
          "thread": [
            0,
            0,
            0
          ]
        },
        "read": {
          "line": 55,
          "thread": [
            1,
            0,
            0
          ]
        },
        "array": "tile_a",
        "element": 0,
        "message": "Thread 0 of block 0 writes element 0 (byte 0) of `tile_a`, and thread 1 read it, and although both are in one warp nothing orders them: lanes of a warp do not run in lockstep. Put `__syncwarp()` (or `__syncthreads()`) between these lines."
      }
    }
  ]
};
