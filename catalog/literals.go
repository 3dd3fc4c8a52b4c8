package catalog

import (
	"time"

	"zproxy/types"
)

// Literals is by which settings the constants of a stored text are read: those of the session that wrote it,
// not of the one that uses it.
type Literals struct {
	Zone      string              `json:",omitempty"` // empty: UTC
	Intervals types.IntervalStyle `json:",omitempty"`
	Made      time.Time           // what 'now' is
}

// LiteralsOf are the settings of an environment, at a time.
func LiteralsOf(env *types.Env, now time.Time) Literals {
	return Literals{Zone: types.LocationName(env.Location), Intervals: env.IntervalStyle, Made: now}
}

// Env is what constants are read with; nil for texts that were stored without it.
func (l *Literals) Env() (*types.Env, error) {
	if l == nil {
		return nil, nil
	}
	env := &types.Env{IntervalStyle: l.Intervals, Now: l.Made}
	if l.Zone == "" {
		return env, nil
	}
	var err error
	env.Location, err = types.LoadLocation(l.Zone)
	return env, err
}
