package executor

import (
	"maps"

	"zproxy/planner/plan"
)

// builtSides are the build sides of the hash joins below a gather.
type builtSides struct {
	undo    []func()
	spilled bool // one is in files, and can only be joined by one goroutine
}

// buildSides reads the build sides of the hash joins that workers probe, each once, and lets the scans of their probe
// sides leave rows out that have no partner.
func buildSides(f frame, n plan.Gather) (out builtSides, err error) {
	path, numbers := n.Path()
	before := f.env.built
	out.undo = append(out.undo, func() { f.env.built = before })
	f.env.built = map[*plan.JoinMethod]*builtSide{}
	maps.Copy(f.env.built, before)
	for i, at := range path {
		join, ok := at.(plan.Join)
		if !ok || join.Method.Strategy != plan.Hash {
			continue
		}
		of := f
		of.number += numbers[i]
		b, err := build(newJoiner(newOutput(of, plan.Width(join), nil), join))
		if err != nil {
			return out, err
		}
		out.undo = append(out.undo, b.close)
		if out.spilled = out.spilled || b.spilled != nil; b.spilled == nil {
			_, probe := b.h.probeSide()
			out.undo = append(out.undo, b.h.pushKeys(probe))
		}
		f.env.built[join.Method] = b
	}
	return out, nil
}

// close forgets them, the last one first.
func (s *builtSides) close() {
	for i := len(s.undo) - 1; i >= 0; i-- {
		s.undo[i]()
	}
}
