// A stand-in for the NVIDIA driver with one GPU that can do nothing but copy: memory is the host's, and of all kernels only the
// judge's `copy_words` does its work. Built by the tests, once for each way in which a GPU fails, and found by the grader as
// libcuda.so.
//
// -DFAILS=function  -DWITH=error     the function gives that error
// -DAFTER=n                          but not the first n times in a process
// -DFAULTS_IN=kernel  -DWITH=error   after a launch of that kernel (-DAFTER=n: after n others of it) every query gives that error
// -DHANGS=function                   the function never returns
// -DGONE_AFTER=n                     the driver starts n times; then there is no GPU any more
// -DHMM                              kernels could read the host's memory

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { init = 1, allocate, upload, load, launch, query, download };

// The kernel that was looked up last.
static char kernel[256];
// A kernel has faulted: so it stays for as long as the process lives.
static int faulted;

#ifndef AFTER
#define AFTER 0
#endif

static int trouble(int here) {
#ifdef HANGS
    if (here == HANGS) {
        for (;;) {
            pause();
        }
    }
#endif
#ifdef FAILS
    static int times;
    if (here == FAILS && times++ >= AFTER) {
        return WITH;
    }
#endif
#ifdef FAULTS_IN
    static int launches;
    if (here == launch && !strcmp(kernel, FAULTS_IN) && launches++ >= AFTER) {
        faulted = 1;
    }
    if (here == query && faulted) {
        return WITH;
    }
#endif
    (void)here;
    return 0;
}

int cuInit(unsigned flags) {
    (void)flags;
#ifdef GONE_AFTER
    // How often it was started is kept beside the library: each worker is a process of its own.
    Dl_info self;
    char name[4096];
    dladdr((void *)cuInit, &self);
    snprintf(name, sizeof name, "%s.starts", self.dli_fname);
    FILE *file = fopen(name, "a+");
    if (!file) {
        return 999;
    }
    fputc('.', file);
    long starts = ftell(file);
    fclose(file);
    if (starts > GONE_AFTER) {
        return 100;
    }
#endif
    return trouble(init);
}
int cuDriverGetVersion(int *version) { return *version = 13000, 0; }
int cuDeviceGetCount(int *count) { return *count = 1, 0; }
int cuDeviceGet(int *device, int index) { return *device = index, 0; }
int cuDeviceGetName(char *name, int length, int device) {
    (void)device;
    strncpy(name, "Stand-in", length);
    return 0;
}
int cuDeviceGetUuid(void *uuid, int device) { return (void)device, memset(uuid, 7, 16), 0; }
int cuDeviceGetUuid_v2(void *uuid, int device) { return cuDeviceGetUuid(uuid, device); }
int cuDeviceTotalMem_v2(size_t *bytes, int device) { return (void)device, *bytes = 8UL << 30, 0; }
int cuDeviceGetAttribute(int *value, int attribute, int device) {
    (void)device;
    switch (attribute) {
    case 75: return *value = 9, 0;        // compute capability, major
    case 76: return *value = 0, 0;        // and minor
    case 16: return *value = 132, 0;      // multiprocessors
    case 38: return *value = 1 << 20, 0;  // L2 cache
#ifdef HMM
    case 88: return *value = 1, 0; // pageable memory access
#endif
    default: return *value = 0, 0;
    }
}
int cuDevicePrimaryCtxRetain(void **context, int device) { return (void)device, *context = (void *)1, 0; }
int cuCtxSetCurrent(void *context) { return (void)context, 0; }
int cuCtxSynchronize(void) { return trouble(query); }
int cuMemGetInfo_v2(size_t *free, size_t *total) { return *free = *total = 8UL << 30, 0; }
int cuMemAlloc_v2(unsigned long long *address, size_t bytes) {
    *address = (unsigned long long)calloc(1, bytes);
    return trouble(allocate);
}
int cuMemFree_v2(unsigned long long address) { return free((void *)address), 0; }
int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes) {
    memcpy((void *)to, from, bytes);
    return trouble(upload);
}
int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes) {
    memcpy(to, (void *)from, bytes);
    return trouble(download);
}
int cuModuleLoadData(void **module, const void *image) { return (void)image, *module = (void *)2, trouble(load); }
int cuModuleUnload(void *module) { return (void)module, 0; }
int cuModuleGetFunction(void **function, void *module, const char *name) {
    (void)module;
    strncpy(kernel, name, sizeof kernel - 1);
    return *function = (void *)3, 0;
}
int cuModuleGetGlobal_v2(unsigned long long *address, size_t *bytes, void *module, const char *name) {
    return (void)address, (void)bytes, (void)module, (void)name, 500; // CUDA_ERROR_NOT_FOUND
}
int cuMemsetD8Async(unsigned long long address, unsigned char byte, size_t bytes, void *stream) {
    return (void)stream, memset((void *)address, byte, bytes), 0;
}
int cuFuncGetAttribute(int *value, int attribute, void *function) {
    return (void)attribute, (void)function, *value = 1024, 0;
}
int cuFuncSetAttribute(void *function, int attribute, int value) {
    return (void)function, (void)attribute, (void)value, 0;
}
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **parameters, void **extra) {
    (void)function, (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz;
    (void)shared, (void)stream, (void)extra;
    if (!strcmp(kernel, "copy_words")) {
        void **to = parameters[0], **from = parameters[1];
        unsigned long long *words = parameters[2];
        memcpy(*to, *from, 16 * *words);
    }
    return trouble(launch);
}
int cuEventCreate(void **event, unsigned flags) { return (void)flags, *event = (void *)4, 0; }
int cuEventDestroy_v2(void *event) { return (void)event, 0; }
int cuEventRecord(void *event, void *stream) { return (void)event, (void)stream, 0; }
int cuEventQuery(void *event) { return (void)event, trouble(query); }
int cuEventElapsedTime(float *milliseconds, void *start, void *end) {
    return (void)start, (void)end, *milliseconds = 0.1f, 0;
}
int cuGetErrorName(int error, const char **name) { return (void)error, *name = "an error of the stand-in", 0; }
int cuGetErrorString(int error, const char **text) { return cuGetErrorName(error, text); }
