package optimizer

import "zproxy/planner/plan"

// pushBarrierDown brings a barrier to the scans that it is about, whose paths then follow from all conditions that
// they may take.
//
//	Barrier              Project a
//	└─ Project a     →   └─ Scan t filter=(b = 5) barrier
//	   └─ Scan t filter=(b = 5)
//
// It must not fire on anything that leaves out rows itself, such as a Join, or a Filter whose condition the scan below
// does not take: that would come to lie above the barrier, beside the conditions of the statement.
var pushBarrierDown = Rule{"PushBarrierDown", func(_ *Options, n plan.Node) (plan.Node, bool) {
	b, ok := n.(plan.Barrier)
	if !ok {
		return n, false
	}
	switch in := b.Input.(type) {
	case plan.Scan:
		if in.Access != nil {
			return n, false
		}
		in.Barrier = true
		return in, true
	case plan.Barrier:
		return in, true
	case plan.Project, plan.Append:
		inputs := in.Inputs()
		below := make([]plan.Node, len(inputs))
		for i, x := range inputs {
			below[i] = plan.Barrier{Input: x}
		}
		return in.WithInputs(below), true
	}
	return n, false
}}
