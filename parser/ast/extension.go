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

// ExtensionMember is ALTER ... [NO] DEPENDS ON EXTENSION: what it names goes with the extension, or not any more.
type ExtensionMember struct {
	Kind      ObjectKind
	Name      Name       // of a trigger: its table
	Routine   *Signature // in the place of Name
	Trigger   string
	Extension string
	Leaves    bool // NO
}

func (*ExtensionMember) statement() {}
