package settings

import "cmp"

// Identity is who a session is, as roles by their numbers.
type Identity struct {
	Authenticated uint32 // who connected
	Session       uint32 // SET SESSION AUTHORIZATION
	Current       uint32 // SET ROLE; 0: none
	Definer       uint32 // the owner of the SECURITY DEFINER function that runs; 0: none does
	// known are the roles that settings named, so that going back to one needs no leave.
	Known map[string]uint32
}

// The settings that say who a session is.
const (
	RoleName    = "role"
	SessionName = "session_authorization"
	SuperName   = "is_superuser"
	noRole      = "none"
)

// Role is the role whose rights count.
func (w *Identity) Role() uint32 { return cmp.Or(w.Definer, w.chosen()) }

// chosen is the role that settings made the session's.
func (w *Identity) chosen() uint32 { return cmp.Or(w.Current, w.Session) }
