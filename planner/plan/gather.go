package plan

// Gather is the rows of its input, in their order. Workers compute the input for parts of the range that one scan
// reads, several at once. If the input is an Aggregate, there are groups of each part. The build sides of hash joins
// are read before, once.
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

// Scan is the one that is divided. It says false where there is none.
func (n Gather) Scan() (Scan, bool) {
	path, _ := n.Path()
	if path == nil {
		return Scan{}, false
	}
	return path[len(path)-1].(Scan), true
}

// Path are the nodes from the input down to the scan that is divided, each of which looks at one row of the next at a
// time, or makes groups of those of a part, and how far their numbers in preorder are behind that of n. It is nil where
// there is no such scan.
func (n Gather) Path() (path []Node, numbers []int) {
	number := 1
	for in := n.Input; ; number++ {
		path, numbers = append(path, in), append(numbers, number)
		switch at := in.(type) {
		case Scan:
			return path, numbers
		case Filter:
			in = at.Input
		case Project:
			in = at.Input
		case Aggregate:
			in = at.Input
		case Join:
			driving, before, ok := at.Driving()
			if !ok {
				return nil, nil
			}
			for _, b := range before {
				number += CountNodes(b)
			}
			in = driving
		default:
			return nil, nil
		}
	}
}
