package ast

func (*Extension) statement() {}

// Extension is CREATE EXTENSION, or with Update ALTER EXTENSION ... UPDATE.
type Extension struct {
	Name    string
	Exists  bool   // IF NOT EXISTS
	Schema  string // empty: the first one of search_path
	Version string // empty: the newest
	Update  bool
}
