// Package system is the functions that read or change the state of the session, the server and the objects of its
// catalog: settings, sequences, privileges, advisory locks, notifications, maintenance. They use the Host of a
// context; each part of it is declared beside the functions that use it. Begin with Host.
package system

import "slices"

// Functions are all functions and operators of this family.
var Functions = slices.Concat(
	sessionFunctions, sizeFunctions, systemFunctions, sequenceFunctions, objectFunctions,
	privilegeFunctions, aclFunctions, advisoryFunctions, notifyFunctions, upkeepFunctions, zorderFunctions,
	siteFunctions, cursorFunctions, serverFunctions, largeFunctions, informationFunctions,
)
