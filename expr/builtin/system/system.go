// Package system is the functions that tell of the session, the server and the objects of its catalog, and
// that change them: settings, sequences, privileges, advisory locks, notifications, upkeep. What they
// reach is the Host of a context; each part of it is declared beside the functions that use it.
// Begin with Host.
package system

import "slices"

// Functions are all functions and operators of this family.
var Functions = slices.Concat(
	sessionFunctions, sizeFunctions, systemFunctions, sequenceFunctions, objectFunctions,
	privilegeFunctions, aclFunctions, advisoryFunctions, notifyFunctions, upkeepFunctions, zorderFunctions,
	serverFunctions, informationFunctions,
)
