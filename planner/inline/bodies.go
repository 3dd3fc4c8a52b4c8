package inline

import (
	"slices"

	"zproxy/catalog"
	"zproxy/parser/ast"
)

// Bodies are the bodies of functions that a statement reads, to put what they do in place of calls.
type Bodies struct {
	Role uint32                       // whose rights to call functions count
	Path []string                     // along which bodies that are texts find their names
	Read func(string) (string, error) // makes a text one whose literals are standard
	Kept ast.Expr                     // a call that stays

	active []uint32 // the functions whose bodies are being read
	count  int      // of the bodies that were read
}

// mostBodies is how many bodies are read for one statement. Functions that each call another one twice have no bound.
const mostBodies = 1000

// Free says whether the body of a function may be read: it is not within itself.
func (b *Bodies) Free(f *catalog.Function) bool {
	return b.count < mostBodies && !slices.Contains(b.active, f.ID)
}

// Keeps says whether a call stays, whatever it calls.
func (b *Bodies) Keeps(call *ast.Call) bool { return call != nil && b.Kept == ast.Expr(call) }

// Enter notes that the body of a function is being read, until the function that it gives is called.
func (b *Bodies) Enter(f *catalog.Function) (leave func()) {
	b.active, b.count = append(b.active, f.ID), b.count+1
	return func() { b.active = b.active[:len(b.active)-1] }
}
