package ast

// JSONFormat is FORMAT JSON, perhaps with the encoding of bytes: UTF8, UTF16 or UTF32.
type JSONFormat struct {
	Encoding string // empty: none is written
	Pos      Pos
}

// JSONInput is a value that is JSON by FORMAT JSON, or since its context wants JSON.
type JSONInput struct {
	Arg    Expr
	Format *JSONFormat // nil: it is not written
	Casts  bool        // it is cast to json where it is no text, also from jsonb
	Pos    Pos
}

// JSONOutput is what a constructor of SQL/JSON makes, as RETURNING says.
type JSONOutput struct {
	Arg    Expr
	Type   TypeName
	Format *JSONFormat
	Text   string // the name of the constructor that returns texts and bytes alone; empty: any type may be returned
	Pos    Pos
}

// JSONQuery is JSON_EXISTS, JSON_VALUE or JSON_QUERY.
type JSONQuery struct {
	Name    string // in upper case
	Context *JSONInput
	Path    Expr
	Passing []JSONVariable
	// Returning is the type of what is returned, nil for that which the function has by itself.
	Returning *TypeName
	Format    *JSONFormat // of Returning
	Wrapper   string      // UNCONDITIONAL or CONDITIONAL; empty: none
	Omits     bool        // OMIT QUOTES
	OnEmpty   *JSONBehavior
	OnError   *JSONBehavior
	Column    string // of JSON_TABLE; empty: it is none
	Pos       Pos
}

// JSONVariable is a value that a path has under a name.
type JSONVariable struct {
	Name  string
	Value Expr
}

// JSONBehavior is what comes in the place of what is not found or fails: a word of SQL, with DEFAULT an expression.
type JSONBehavior struct {
	Word    string
	Default Expr
	Pos     Pos
}

func (*JSONQuery) expr()  {}
func (*JSONInput) expr()  {}
func (*JSONOutput) expr() {}

// Position implements Expr.
func (e *JSONQuery) Position() Pos { return e.Pos }

// Position implements Expr.
func (e *JSONInput) Position() Pos { return e.Pos }

// Position implements Expr.
func (e *JSONOutput) Position() Pos { return e.Pos }
