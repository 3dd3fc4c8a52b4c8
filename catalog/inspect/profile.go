package inspect

// profile is which attributes some items have: how many of the items have each. Items of one kind have about the same
// attributes, so profiles tell kinds from values.
type profile struct {
	n    int
	with map[string]int
}

// alike is how different profiles of the same kind may be. Optional attributes make them differ in small groups.
const alike = 0.35

func (f *inference) profile(items []int) profile {
	p := profile{len(items), map[string]int{}}
	for _, i := range items {
		for name, v := range f.all[i] {
			if name != f.discriminator && name != f.table.Partition.Name && name != f.table.Sort.Name {
				p.with[name+" "+string(v.Type)]++
			}
		}
	}
	return p
}

// distance is between 0, for the same attributes, and 1, for none in common.
func (p profile) distance(q profile) float64 {
	var differ, all float64
	add := func(name string) {
		a, b := float64(p.with[name])/float64(p.n), float64(q.with[name])/float64(q.n)
		differ += max(a, b) - min(a, b)
		all += max(a, b)
	}
	for name := range p.with {
		add(name)
	}
	for name := range q.with {
		if p.with[name] == 0 {
			add(name)
		}
	}
	if all == 0 {
		return 0
	}
	return differ / all
}

func (p profile) similar(q profile) bool { return p.distance(q) < alike }
