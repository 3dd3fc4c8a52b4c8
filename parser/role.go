package parser

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// roles converts the statements about roles and what they may do, and about databases.
func (c *converter) roles(node *pg.Node) ast.Statement {
	switch n := node.GetNode().(type) {
	case *pg.Node_CreateRoleStmt:
		return c.createRole(n.CreateRoleStmt)
	case *pg.Node_CreatePolicyStmt:
		return policies{c}.create(n.CreatePolicyStmt)
	case *pg.Node_AlterPolicyStmt:
		return policies{c}.alter(n.AlterPolicyStmt)
	case *pg.Node_AlterRoleStmt:
		return c.alterRole(n.AlterRoleStmt)
	case *pg.Node_AlterRoleSetStmt:
		return c.alterRoleSet(n.AlterRoleSetStmt, false)
	case *pg.Node_AlterSystemStmt:
		return alterSystem(c, n.AlterSystemStmt)
	case *pg.Node_AlterDatabaseSetStmt:
		return c.alterRoleSet(&pg.AlterRoleSetStmt{Database: n.AlterDatabaseSetStmt.Dbname,
			Setstmt: n.AlterDatabaseSetStmt.Setstmt}, true)
	case *pg.Node_CreatedbStmt:
		return &ast.CreateDatabase{Name: n.CreatedbStmt.Dbname, Options: c.roleOptions(n.CreatedbStmt.Options)}
	case *pg.Node_AlterDatabaseStmt:
		return &ast.AlterDatabase{Name: n.AlterDatabaseStmt.Dbname, Options: c.roleOptions(n.AlterDatabaseStmt.Options)}
	case *pg.Node_DropdbStmt:
		return &ast.DropDatabase{Name: n.DropdbStmt.Dbname, IfExists: n.DropdbStmt.MissingOk,
			Options: c.roleOptions(n.DropdbStmt.Options)}
	case *pg.Node_DropRoleStmt:
		return &ast.DropRole{Roles: c.roleNames(n.DropRoleStmt.Roles), IfExists: n.DropRoleStmt.MissingOk}
	case *pg.Node_GrantStmt:
		return c.grant(n.GrantStmt)
	case *pg.Node_GrantRoleStmt:
		return c.grantRole(n.GrantRoleStmt)
	case *pg.Node_AlterDefaultPrivilegesStmt:
		return defaultPrivileges(c, n.AlterDefaultPrivilegesStmt)
	case *pg.Node_AlterOwnerStmt:
		return c.alterOwner(n.AlterOwnerStmt)
	case *pg.Node_ReassignOwnedStmt:
		return &ast.ReassignOwned{Roles: c.roleNames(n.ReassignOwnedStmt.Roles),
			To: c.roleName(n.ReassignOwnedStmt.Newrole)}
	case *pg.Node_DropOwnedStmt:
		return &ast.DropOwned{Roles: c.roleNames(n.DropOwnedStmt.Roles), Cascade: cascades(n.DropOwnedStmt.Behavior)}
	}
	return c.dml(node)
}

func (c *converter) roleName(n *pg.RoleSpec) ast.RoleName {
	out := ast.RoleName{Name: n.GetRolename(), Pos: c.at(n.GetLocation())}
	switch n.GetRoletype() {
	case pg.RoleSpecType_ROLESPEC_CSTRING:
	case pg.RoleSpecType_ROLESPEC_CURRENT_ROLE, pg.RoleSpecType_ROLESPEC_CURRENT_USER:
		out.Kind = ast.CurrentUser
	case pg.RoleSpecType_ROLESPEC_SESSION_USER:
		out.Kind = ast.SessionUser
	case pg.RoleSpecType_ROLESPEC_PUBLIC:
		out.Kind = ast.PublicRole
	default:
		c.refuse(true, n, "a role of this kind")
	}
	return out
}

func (c *converter) roleNames(list []*pg.Node) []ast.RoleName {
	var out []ast.RoleName
	for _, n := range list {
		out = append(out, c.roleName(n.GetRoleSpec()))
	}
	return out
}

func (c *converter) maybeRole(n *pg.RoleSpec) *ast.RoleName {
	if n == nil {
		return nil
	}
	out := c.roleName(n)
	return &out
}

func (c *converter) createRole(n *pg.CreateRoleStmt) ast.Statement {
	out := &ast.CreateRole{Name: n.Role, Kind: "role", Options: c.roleOptions(n.Options)}
	switch n.StmtType {
	case pg.RoleStmtType_ROLESTMT_USER:
		out.Kind = "user"
	case pg.RoleStmtType_ROLESTMT_GROUP:
		out.Kind = "group"
	}
	return out
}

// roleOptions are the options of CREATE and ALTER ROLE, each of which may stand there once.
func (c *converter) roleOptions(list []*pg.Node) []ast.RoleOption {
	var out []ast.RoleOption
	seen := map[string]bool{}
	for _, n := range list {
		d := n.GetDefElem()
		c.refuse(d.GetDefnamespace() != "", n, "an option with a prefix")
		o := ast.RoleOption{Name: strings.ToLower(d.GetDefname()), Null: d.GetArg() == nil, Pos: c.at(d.GetLocation())}
		if seen[o.Name] {
			c.fail(sqlerr.New(sqlerr.SyntaxError, "conflicting or redundant options").At(int(o.Pos)))
		}
		seen[o.Name] = true
		if roles := d.GetArg().GetList(); roles != nil {
			o.Roles = c.roleNames(roles.GetItems())
		} else {
			o.Value = c.optionValue(d.GetArg())
		}
		out = append(out, o)
	}
	return out
}

func (c *converter) alterRole(n *pg.AlterRoleStmt) ast.Statement {
	return &ast.AlterRole{Role: c.roleName(n.Role), Options: c.roleOptions(n.Options), Take: n.Action < 0}
}

func (c *converter) alterRoleSet(n *pg.AlterRoleSetStmt, database bool) ast.Statement {
	out := &ast.AlterRoleSet{Alters: database, Role: c.maybeRole(n.Role), Database: n.Database}
	set, ok := c.set(n.Setstmt).(*ast.Set)
	c.refuse(!ok, n, "this form of ALTER ROLE SET")
	out.Set = set
	return out
}

func alterSystem(c *converter, n *pg.AlterSystemStmt) ast.Statement {
	out := &ast.AlterRoleSet{System: true}
	set, ok := c.set(n.Setstmt).(*ast.Set)
	c.refuse(!ok, n, "this form of ALTER SYSTEM")
	out.Set = set
	return out
}

// grantTarget is the kind of what is granted on. TABLE stands for all relations.
func (c *converter) grantTarget(n *pg.GrantStmt) ast.ObjectKind {
	switch n.Objtype {
	case pg.ObjectType_OBJECT_TABLE:
		return ast.TableObject
	case pg.ObjectType_OBJECT_SEQUENCE:
		return ast.SequenceObject
	case pg.ObjectType_OBJECT_SCHEMA:
		return ast.SchemaObject
	case pg.ObjectType_OBJECT_DATABASE:
		return ast.DatabaseObject
	case pg.ObjectType_OBJECT_FUNCTION, pg.ObjectType_OBJECT_PROCEDURE, pg.ObjectType_OBJECT_ROUTINE:
		return c.objectKind("GRANT or REVOKE ON", n.Objtype)
	case pg.ObjectType_OBJECT_TYPE, pg.ObjectType_OBJECT_DOMAIN, pg.ObjectType_OBJECT_LARGEOBJECT,
		pg.ObjectType_OBJECT_LANGUAGE, pg.ObjectType_OBJECT_TABLESPACE, pg.ObjectType_OBJECT_FDW,
		pg.ObjectType_OBJECT_FOREIGN_SERVER:
		return c.objectKind("GRANT or REVOKE ON", n.Objtype)
	}
	c.refuse(true, n, "GRANT or REVOKE ON "+strings.ReplaceAll(strings.TrimPrefix(n.Objtype.String(), "OBJECT_"), "_",
		" "))
	return ""
}

func (c *converter) grant(n *pg.GrantStmt) ast.Statement {
	out := &ast.Grant{
		Revoke: !n.IsGrant, Kind: c.grantTarget(n), Grantees: c.roleNames(n.Grantees), Option: n.GrantOption,
		Grantor: c.maybeRole(n.Grantor), Cascade: cascades(n.Behavior),
		InSchemas: n.Targtype == pg.GrantTargetType_ACL_TARGET_ALL_IN_SCHEMA,
	}
	for _, o := range n.Objects {
		if r := (routines{c}).routine(o); r != nil {
			out.Routines = append(out.Routines, *r)
		} else if o.GetRangeVar() != nil {
			out.Objects = append(out.Objects, c.tableOnly(o.GetRangeVar()))
		} else {
			out.Objects = append(out.Objects, c.objectName(o))
		}
	}
	for _, p := range n.Privileges {
		one := ast.Privilege{Word: p.GetAccessPriv().GetPrivName()}
		for _, column := range p.GetAccessPriv().GetCols() {
			one.Columns = append(one.Columns, column.GetString_().GetSval())
		}
		out.Privileges = append(out.Privileges, one)
	}
	return out
}

func defaultPrivileges(c *converter, n *pg.AlterDefaultPrivilegesStmt) ast.Statement {
	out := &ast.DefaultPrivileges{Grant: c.grant(n.Action).(*ast.Grant)}
	seen := map[string]bool{}
	for _, o := range n.Options {
		d := o.GetDefElem()
		c.refuse(d.GetDefnamespace() != "", n, "an option with a prefix")
		if seen[d.GetDefname()] {
			c.fail(sqlerr.New(sqlerr.SyntaxError, "conflicting or redundant options").At(int(c.at(d.GetLocation()))))
		}
		seen[d.GetDefname()] = true
		items := d.GetArg().GetList().GetItems()
		switch d.GetDefname() {
		case "schemas":
			out.Schemas = names(items)
		case "roles":
			out.Roles = c.roleNames(items)
		default:
			c.refuse(true, n, "this option of ALTER DEFAULT PRIVILEGES")
		}
	}
	return out
}

func (c *converter) grantRole(n *pg.GrantRoleStmt) ast.Statement {
	out := &ast.GrantRole{Revoke: !n.IsGrant, Grantees: c.roleNames(n.GranteeRoles), Grantor: c.maybeRole(n.Grantor),
		Cascade: cascades(n.Behavior)}
	for _, r := range n.GrantedRoles {
		c.refuse(len(r.GetAccessPriv().GetCols()) > 0, r, "a role with columns")
		out.Roles = append(out.Roles, r.GetAccessPriv().GetPrivName())
	}
	for _, o := range c.options(n.Opt) {
		option := map[string]**bool{"admin": &out.Admin, "inherit": &out.Inherit, "set": &out.Set}[o.Name]
		if option == nil {
			c.fail(sqlerr.New(sqlerr.SyntaxError, "unrecognized role option \"%s\"", o.Name).At(int(o.Pos)))
			break
		}
		on := o.Value == "true"
		*option = &on
	}
	return out
}

// alterOwner is ALTER SCHEMA, DATABASE, STATISTICS, TYPE and the like ... OWNER TO; for relations it is an ALTER TABLE.
func (c *converter) alterOwner(n *pg.AlterOwnerStmt) ast.Statement {
	out := &ast.SetOwner{Kind: c.objectKind("OWNER TO of", n.ObjectType), Owner: c.roleName(n.Newowner)}
	if out.Routine = (systemObjects{c}).signature(out.Kind, n.Object); out.Routine == nil {
		out.Name = c.objectName(n.Object)
	}
	return out
}
