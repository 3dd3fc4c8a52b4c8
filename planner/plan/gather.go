package plan

// Gather is the rows of its input, in their order. Workers compute the input for parts of the range that its only scan
// reads, several at once. If the input is an Aggregate, there are groups of each part.
type Gather struct {
	Input   Node
	Workers int
}

func (Gather) node() {}

// Inputs implements Node.
func (n Gather) Inputs() []Node { return []Node{n.Input} }

// WithInputs implements Node.
func (n Gather) WithInputs(in []Node) Node { n.Input = in[0]; return n }

// Columns implements Node.
func (n Gather) Columns() []Column { return n.Input.Columns() }

// Scan is the one that is divided, below nodes of which each looks at one row at a time, or makes groups of a part. It
// says false where there is none.
func (n Gather) Scan() (Scan, bool) {
	for in := n.Input; ; {
		switch at := in.(type) {
		case Scan:
			return at, true
		case Filter:
			in = at.Input
		case Project:
			in = at.Input
		case Aggregate:
			in = at.Input
		default:
			return Scan{}, false
		}
	}
}
