package renumber

// Numbered is the list of fields.
var Numbered = numbered
