package catalog

import (
	"slices"
	"time"

	"zproxy/types"
	"zproxy/types/datestyle"
	"zproxy/types/datetime"
	"zproxy/types/interval"
)

// Literals is by which settings the constants of a stored text are read: those of the session that wrote it,
// not of the one that uses it.
type Literals struct {
	Zone      string          `json:",omitempty"` // empty: UTC
	Intervals interval.Style  `json:",omitempty"`
	Dates     datestyle.Order `json:",omitempty"`
	Made      time.Time       // what 'now' is
	// Names are what the names in constants, such as 't'::regclass, stood for.
	Names []Named `json:",omitempty"`
}

// Named is what a name in a constant of a type stands for.
type Named struct {
	Type types.OID
	Text string
	ID   uint32
}

// Remembered are names of which some go on to stand for what they did.
type Remembered struct {
	types.Names
	Known []Named
	Note  *Literals // where the others are noted; nil: nowhere
}

// OIDOf implements types.Names.
func (r *Remembered) OIDOf(kind types.OID, text string) (uint32, error) {
	for _, k := range r.Known {
		if k.Type == kind && k.Text == text {
			return k.ID, nil
		}
	}
	if r.Names == nil {
		v, err := types.ParseText(text, types.Of(kind), &types.Env{}) // which says that there are no names
		if err != nil {
			return 0, err
		}
		return uint32(v.Int()), nil
	}
	id, err := r.Names.OIDOf(kind, text)
	if named := (Named{kind, text, id}); err == nil && r.Note != nil && !slices.Contains(r.Note.Names, named) {
		r.Note.Names = append(r.Note.Names, named)
	}
	return id, err
}

// NameOf implements types.Names.
func (r *Remembered) NameOf(kind types.OID, oid uint32) string {
	if r.Names == nil {
		return ""
	}
	return r.Names.NameOf(kind, oid)
}

// Over gives literals of a stored text the names of the present for those that it does not have.
func Over(literals *types.Env, present types.Names) *types.Env {
	env := *literals
	env.Names = present
	if r, ok := literals.Names.(*Remembered); ok {
		env.Names = &Remembered{Names: present, Known: r.Known}
	}
	return &env
}

// LiteralsOf are the settings of an environment, at a time.
func LiteralsOf(env *types.Env, now time.Time) Literals {
	return Literals{Zone: datetime.LocationName(env.Location), Intervals: env.IntervalStyle, Dates: env.DateStyle.Order,
		Made: now}
}

// Env is what constants are read with; nil for texts that were stored without it.
func (l *Literals) Env() (*types.Env, error) {
	if l == nil {
		return nil, nil
	}
	env := &types.Env{IntervalStyle: l.Intervals, DateStyle: datestyle.Style{Order: l.Dates}, Now: l.Made}
	if len(l.Names) > 0 {
		env.Names = &Remembered{Known: l.Names}
	}
	if l.Zone == "" {
		return env, nil
	}
	var err error
	env.Location, err = datetime.LoadLocation(l.Zone)
	return env, err
}
