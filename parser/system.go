package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
)

// systemKinds are the kinds of objects of which users make none.
var systemKinds = map[pg.ObjectType]ast.ObjectKind{
	pg.ObjectType_OBJECT_ACCESS_METHOD:   ast.AccessMethodObject,
	pg.ObjectType_OBJECT_CONVERSION:      ast.ConversionObject,
	pg.ObjectType_OBJECT_EVENT_TRIGGER:   ast.EventTriggerObject,
	pg.ObjectType_OBJECT_FDW:             ast.WrapperObject,
	pg.ObjectType_OBJECT_FOREIGN_SERVER:  ast.ServerObject,
	pg.ObjectType_OBJECT_LANGUAGE:        ast.LanguageObject,
	pg.ObjectType_OBJECT_OPCLASS:         ast.OperatorClassObject,
	pg.ObjectType_OBJECT_OPFAMILY:        ast.OperatorFamilyObject,
	pg.ObjectType_OBJECT_RULE:            ast.RuleObject,
	pg.ObjectType_OBJECT_SUBSCRIPTION:    ast.SubscriptionObject,
	pg.ObjectType_OBJECT_TABLESPACE:      ast.TablespaceObject,
	pg.ObjectType_OBJECT_TRANSFORM:       ast.TransformObject,
	pg.ObjectType_OBJECT_TSCONFIGURATION: ast.ConfigurationObject,
	pg.ObjectType_OBJECT_TSDICTIONARY:    ast.DictionaryObject,
	pg.ObjectType_OBJECT_TSPARSER:        ast.ParserObject,
	pg.ObjectType_OBJECT_TSTEMPLATE:      ast.TemplateObject,
}

// isSystemKind says whether a kind of objects is one of those.
func isSystemKind(k ast.ObjectKind) bool {
	for _, of := range systemKinds {
		if of == k {
			return true
		}
	}
	return false
}

// systemObjects converts the statements about these objects that have a grammar of their own.
type systemObjects struct{ *converter }

// convert converts a statement, if it is such a one.
func (c systemObjects) convert(node *pg.Node) ast.Statement {
	switch n := node.GetNode().(type) {
	case *pg.Node_DropSubscriptionStmt:
		return &ast.Drop{Kind: ast.SubscriptionObject, Names: named(n.DropSubscriptionStmt.Subname),
			IfExists: n.DropSubscriptionStmt.MissingOk, Cascade: cascades(n.DropSubscriptionStmt.Behavior)}
	case *pg.Node_DropTableSpaceStmt:
		return &ast.Drop{Kind: ast.TablespaceObject, Names: named(n.DropTableSpaceStmt.Tablespacename),
			IfExists: n.DropTableSpaceStmt.MissingOk}
	case *pg.Node_AlterSubscriptionStmt:
		return altered(ast.SubscriptionObject, named(n.AlterSubscriptionStmt.Subname)[0])
	case *pg.Node_AlterTableSpaceOptionsStmt:
		return altered(ast.TablespaceObject, named(n.AlterTableSpaceOptionsStmt.Tablespacename)[0])
	case *pg.Node_AlterFdwStmt:
		return altered(ast.WrapperObject, named(n.AlterFdwStmt.Fdwname)[0])
	case *pg.Node_AlterForeignServerStmt:
		return altered(ast.ServerObject, named(n.AlterForeignServerStmt.Servername)[0])
	case *pg.Node_AlterEventTrigStmt:
		return altered(ast.EventTriggerObject, named(n.AlterEventTrigStmt.Trigname)[0])
	case *pg.Node_AlterTsconfigurationStmt:
		return altered(ast.ConfigurationObject, c.nameOf(names(n.AlterTsconfigurationStmt.Cfgname)))
	case *pg.Node_AlterTsdictionaryStmt:
		return altered(ast.DictionaryObject, c.nameOf(names(n.AlterTsdictionaryStmt.Dictname)))
	case *pg.Node_AlterOpFamilyStmt:
		return &ast.AlterSystemObject{Kind: ast.OperatorFamilyObject, Of: ast.Signature{
			Name: c.nameOf(names(n.AlterOpFamilyStmt.Opfamilyname)), Using: n.AlterOpFamilyStmt.Amname}}
	case *pg.Node_CreateUserMappingStmt:
		return &ast.UserMapping{Verb: "CREATE", Role: c.roleName(n.CreateUserMappingStmt.User),
			Server: n.CreateUserMappingStmt.Servername}
	case *pg.Node_AlterUserMappingStmt:
		return &ast.UserMapping{Verb: "ALTER", Role: c.roleName(n.AlterUserMappingStmt.User),
			Server: n.AlterUserMappingStmt.Servername}
	case *pg.Node_DropUserMappingStmt:
		return &ast.UserMapping{Verb: "DROP", Role: c.roleName(n.DropUserMappingStmt.User),
			Server: n.DropUserMappingStmt.Servername, IfExists: n.DropUserMappingStmt.MissingOk}
	case *pg.Node_CreateForeignServerStmt:
		return &ast.CreateServer{Wrapper: n.CreateForeignServerStmt.Fdwname}
	case *pg.Node_CreateConversionStmt:
		of := n.CreateConversionStmt
		return &ast.CreateConversion{Name: c.nameOf(names(of.ConversionName)), From: of.ForEncodingName,
			To: of.ToEncodingName, Default: of.Def, Function: c.nameOf(names(of.FuncName))}
	case *pg.Node_CreateAmStmt:
		of := n.CreateAmStmt
		return &ast.CreateAccessMethod{Name: of.Amname, Kind: of.Amtype, Handler: c.nameOf(names(of.HandlerName))}
	case *pg.Node_CreateTransformStmt:
		return c.createTransform(n.CreateTransformStmt)
	}
	return nil
}

func named(name string) []ast.Name { return []ast.Name{{Name: name, Pos: -1}} }

func altered(kind ast.ObjectKind, of ast.Name) ast.Statement {
	return &ast.AlterSystemObject{Kind: kind, Of: ast.Signature{Name: of}}
}

func (c systemObjects) createTransform(n *pg.CreateTransformStmt) ast.Statement {
	out := &ast.CreateTransform{Type: c.typeName(n.TypeName), Language: n.Lang}
	if n.Fromsql != nil {
		from := routines(c).signature(n.Fromsql)
		out.From = &from
	}
	if n.Tosql != nil {
		to := routines(c).signature(n.Tosql)
		out.To = &to
	}
	return out
}

// signature is the name of an object that has more than a name: types, an access method or a language.
func (c systemObjects) signature(kind ast.ObjectKind, n *pg.Node) *ast.Signature {
	list := n.GetList().GetItems()
	switch kind {
	case ast.OperatorClassObject, ast.OperatorFamilyObject:
		return &ast.Signature{Name: c.nameOf(names(list[1:])), Using: list[0].GetString_().GetSval()}
	case ast.TransformObject:
		return &ast.Signature{Args: []ast.TypeName{c.typeName(list[0].GetTypeName())},
			Using: list[1].GetString_().GetSval()}
	}
	return routines(c).routine(n)
}
