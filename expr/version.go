package expr

// ServerVersionNum is ServerVersion as a number, the way clients compare it.
const ServerVersionNum = "150004"
