package expr

// windowFunctions is the table of the functions that are only for windows.
var windowFunctions = []*WindowFunction{}
