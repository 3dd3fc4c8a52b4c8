// Package interleave says where the rows of a table lie that is interleaved with others. They lie behind the rows of a
// parent: their keys begin with its primary key. All rows below one root lie in its space, which is their host.
package interleave

// Option names the table behind whose rows those of a table, or the entries of an index, lie.
const Option = "interleave_in"

// In says behind whose rows the items of a space lie.
type In struct {
	Parent uint32 // the ID of the table
	// HostID and HostName are the space of the table at the root.
	HostID   uint64
	HostName string
	// Number tells the columns apart that the spaces of one host have.
	Number uint32
	// Prefix is what stores know the columns by, in front of their names.
	Prefix  string
	Cascade bool `json:",omitempty"` // a row is deleted with its parent
}

// columnBits are those of a stored column's number that are its ID; those above are the Number of a space.
const columnBits = 16

// Column is a column as the host's space has it.
func (in *In) Column(id uint32, name string) (uint32, string) {
	if in == nil {
		return id, name
	}
	return id | in.Number<<columnBits, in.Prefix + name
}
