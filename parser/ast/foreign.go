package ast

// Foreign says whose the rows of a foreign table are.
type Foreign struct {
	Server  string
	Options []Option
}

// ImportForeignSchema is IMPORT FOREIGN SCHEMA. Without Tables it is about all of them, else about
// these, or with Except about all others.
type ImportForeignSchema struct {
	Server  string
	Remote  string // the schema there
	Local   string
	Tables  []string
	Except  bool
	Options []Option
}

// OptionChange is one change of OPTIONS.
type OptionChange struct {
	Option
	Action optionAction
}

// optionAction is what an OptionChange does.
type optionAction uint8

// The actions.
const (
	AddOption optionAction = iota
	SetOption
	DropOption
)

func (*ImportForeignSchema) statement() {}
