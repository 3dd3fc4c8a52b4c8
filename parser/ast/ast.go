// Package ast is the syntax tree that both grammars end in: what was written, with
// names not resolved and types not checked. The sets of statements, expressions and
// FROM items are closed.
package ast

// Pos is the byte offset of a node in the text that was sent, which may hold several
// statements, or -1.
type Pos int

// Statement is one SQL statement.
//
//sumtype:decl
type Statement interface{ statement() }

// Parsed is a statement and where its text lies in what was sent.
type Parsed struct {
	Statement Statement
	Text      string // without the semicolon
	Offset    int    // of Text in what was sent, so that positions can be given in it
	Params    int    // the highest $n
	Notices   []Notice
}

// Notice is something that the parser wants the client to know, such as a hint that it
// does not understand.
type Notice struct {
	Message string
	Pos     Pos
}

// Name is a table or index name, with a schema or without.
type Name struct {
	Schema string
	Name   string
	Pos    Pos
}

// TypeName is a type as written, in lower case, without pg_catalog.
type TypeName struct {
	Name  string // int4, character varying, geometry, ...
	Args  []int  // the numbers or, for geometry(point), none
	Words []string
	Array bool
	Pos   Pos
}

// Hint is one optimizer hint: USE_INDEX(t i1 i2), _l_force_index_('i'), in upper or
// lower case as its dialect writes it.
type Hint struct {
	Name    string // canonical: use_index, ignore_index, force_index
	Table   string // empty when the hint names none
	Indexes []string
}
