package ast

// RoleName is a role where a statement names one.
type RoleName struct {
	Name string // empty but for NamedRole
	Kind roleNameKind
	Pos  Pos
}

// roleNameKind is how a role is named.
type roleNameKind uint8

// The ways to name a role.
const (
	NamedRole   roleNameKind = iota
	CurrentUser              // CURRENT_USER, CURRENT_ROLE
	SessionUser
	PublicRole
)

// RoleOption is an option of CREATE and ALTER ROLE, by the grammar's word in lower case:
// password, superuser, canlogin, validuntil, rolemembers, and so on; or of a database.
type RoleOption struct {
	Name  string
	Value string
	Null  bool // PASSWORD NULL, or DEFAULT
	Roles []RoleName
	Pos   Pos
}

// CreateRole is CREATE ROLE, USER or GROUP.
type CreateRole struct {
	Name    string
	Kind    string // role, user, group
	Options []RoleOption
}

// AlterRole is ALTER ROLE with options. ALTER GROUP has the option rolemembers, and Take
// if it drops them.
type AlterRole struct {
	Role    RoleName
	Options []RoleOption
	Take    bool
}

// AlterRoleSet is ALTER ROLE ... SET and RESET; a nil Role is ALL.
type AlterRoleSet struct {
	Role     *RoleName
	Database string
	Alters   bool // written as ALTER DATABASE
	System   bool // written as ALTER SYSTEM, for what roles and databases say nothing of
	Set      *Set
}

// DropRole is DROP ROLE.
type DropRole struct {
	Roles    []RoleName
	IfExists bool
}

// Grant is GRANT and REVOKE of privileges on objects.
type Grant struct {
	Revoke     bool
	Kind       ObjectKind
	Objects    []Name
	Routines   []Signature // in the place of Objects
	InSchemas  bool        // all of Kind in the schemas that Objects names
	Privileges []Privilege // nil: all
	Grantees   []RoleName
	Option     bool // WITH GRANT OPTION, GRANT OPTION FOR
	Grantor    *RoleName
	Cascade    bool
}

// DefaultPrivileges is ALTER DEFAULT PRIVILEGES.
type DefaultPrivileges struct {
	Roles   []RoleName // nil: the present one
	Schemas []string   // nil: the whole database
	Grant   *Grant     // of a kind of objects, none of which it names
}

// Privilege is one that GRANT names, perhaps on columns.
type Privilege struct {
	Word    string // in lower case; empty: all that there are on columns
	Columns []string
}

// GrantRole is GRANT and REVOKE of roles.
type GrantRole struct {
	Revoke   bool
	Roles    []string
	Grantees []RoleName
	Admin    *bool // nil: nothing is said of it
	Inherit  *bool
	Set      *bool
	Grantor  *RoleName
	Cascade  bool
}

// SetOwner is ALTER ... OWNER TO.
type SetOwner struct {
	Kind     ObjectKind
	Name     Name
	Routine  *Signature // in the place of Name
	Owner    RoleName
	IfExists bool
}

// ReassignOwned is REASSIGN OWNED.
type ReassignOwned struct {
	Roles []RoleName
	To    RoleName
}

// DropOwned is DROP OWNED.
type DropOwned struct {
	Roles   []RoleName
	Cascade bool
}

func (*CreateRole) statement()        {}
func (*AlterRole) statement()         {}
func (*AlterRoleSet) statement()      {}
func (*DropRole) statement()          {}
func (*Grant) statement()             {}
func (*GrantRole) statement()         {}
func (*DefaultPrivileges) statement() {}
func (*SetOwner) statement()          {}
func (*ReassignOwned) statement()     {}
func (*DropOwned) statement()         {}
