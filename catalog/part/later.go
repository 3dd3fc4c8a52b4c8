package part

import "fmt"

// later is a kind that this version does not know: another process on the same store may be newer.
type later struct{ base }

func (later) bind(p *Part, _ Table) (Bound, error) {
	return Bound{}, fmt.Errorf("key part of kind %d", p.Kind)
}

func (later) describe(p *Part, _ Table) string { return fmt.Sprintf("part of kind %d", p.Kind) }
func (later) template(*Part, Table) string     { return "" }
