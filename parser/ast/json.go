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

func (*JSONInput) expr()  {}
func (*JSONOutput) expr() {}

// Position implements Expr.
func (e *JSONInput) Position() Pos { return e.Pos }

// Position implements Expr.
func (e *JSONOutput) Position() Pos { return e.Pos }
