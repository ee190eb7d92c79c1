//! The fast shadow against slow vector clocks and complete histories.
