package parser

import (
	"slices"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// says notes a clause that may change nothing. The session knows which ones do, and why.
func (c *converter) says(has bool, clause ast.Clause) {
	if has && !slices.Contains(c.inert, clause) {
		c.inert = append(c.inert, clause)
	}
}

// tablespace takes the only tablespace there is.
func (c *converter) tablespace(name string, at proto.Message) {
	switch name {
	case "":
	case "pg_default":
		c.says(true, "TABLESPACE pg_default")
	case "pg_global":
		c.fail(sqlerr.New(sqlerr.InvalidParameterValue,
			"only shared relations can be placed in pg_global tablespace").At(int(c.position(at))))
	default:
		c.fail(sqlerr.New(sqlerr.UndefinedObject, "tablespace \"%s\" does not exist", name).At(int(c.position(at))))
	}
}

// accessMethod takes the only way in which tables are kept.
func (c *converter) accessMethod(name string, at proto.Message) {
	switch name {
	case "":
	case "heap":
		c.says(true, "USING heap")
	case "btree", "hash", "gist", "gin", "spgist", "brin", "zorder":
		c.fail(sqlerr.New(sqlerr.WrongObjectType, "access method \"%s\" is not of type TABLE",
			name).At(int(c.position(at))))
	default:
		c.fail(sqlerr.New(sqlerr.UndefinedObject, "access method \"%s\" does not exist", name).At(int(c.position(at))))
	}
}

// onCommit is what becomes of a temporary table at the end of a transaction.
func (c *converter) onCommit(action pg.OnCommitAction, table *pg.RangeVar) ast.OnCommit {
	if action <= pg.OnCommitAction_ONCOMMIT_NOOP {
		return ast.PreserveRows
	}
	if table.GetRelpersistence() != "t" && table.GetSchemaname() != ast.TemporarySchema {
		c.fail(sqlerr.New(sqlerr.InvalidTableDefinition, "ON COMMIT can only be used on temporary tables"))
	}
	switch action {
	case pg.OnCommitAction_ONCOMMIT_DELETE_ROWS:
		return ast.DeleteRows
	case pg.OnCommitAction_ONCOMMIT_DROP:
		return ast.DropAtCommit
	}
	c.says(true, "ON COMMIT PRESERVE ROWS")
	return ast.PreserveRows
}

// fullPages is the fillfactor that asks for no room, as pgbench does: a store leaves none, either.
const fullPages = "100"

// The options of which stores have some values.
const (
	compression = "compression"
	consistency = "consistency"
)

// storageParameters are the options of a relation, which are set.
func (c *converter) storageParameters(list []*pg.Node) []ast.Option {
	out := c.storageNames(list)
	for _, o := range out {
		says := ast.StorageParameter(o.Name)
		switch o.Name {
		case compression, consistency:
			says = says.With(o.Value)
		}
		c.says(o.Name != "fillfactor" || o.Value != fullPages, says)
	}
	return out
}

// storageNames are the options of a relation, some of which are for its TOAST table.
func (c *converter) storageNames(list []*pg.Node) []ast.Option {
	if c.lifted.setOptions != nil {
		return c.lifted.setOptions
	}
	var out []ast.Option
	for _, n := range list {
		d := n.GetDefElem()
		prefix := ""
		switch d.GetDefnamespace() {
		case "":
		case "toast":
			prefix = "toast."
			d = proto.CloneOf(d)
			d.Defnamespace = ""
		default:
			c.fail(sqlerr.New(sqlerr.InvalidParameterValue, "unrecognized parameter namespace \"%s\"",
				d.Defnamespace).At(int(c.position(n))))
			continue
		}
		for _, o := range c.options([]*pg.Node{{Node: &pg.Node_DefElem{DefElem: d}}}) {
			o.Name = prefix + o.Name
			out = append(out, o)
		}
	}
	return out
}

// cluster is CLUSTER.
func cluster(c *converter, n *pg.ClusterStmt) ast.Statement {
	out := &ast.Cluster{Index: n.Indexname}
	for _, o := range c.options(n.Params) {
		if o.Name != "verbose" {
			c.fail(sqlerr.New(sqlerr.SyntaxError, "unrecognized CLUSTER option %q", o.Name).At(int(o.Pos)))
		}
		c.says(c.flag(o), "CLUSTER option VERBOSE")
	}
	if n.Relation != nil {
		c.refuse(n.Relation.Alias != nil, n.Relation, "an alias of this table")
		name := c.relation(n.Relation)
		out.Table = &name
		c.says(true, "CLUSTER")
	}
	return out
}

// vacuum is VACUUM or ANALYZE. How VACUUM is to work is nothing to a store.
func (c *converter) vacuum(n *pg.VacuumStmt) ast.Statement {
	if !n.IsVacuumcmd {
		out := c.analyze(n)
		for _, o := range c.options(n.Options) {
			switch o.Name {
			case "verbose":
				out.Verbose = c.flag(o)
			case "skip_locked":
				c.says(c.flag(o), ast.Clause("ANALYZE option "+strings.ToUpper(o.Name)))
			default:
				c.fail(sqlerr.New(sqlerr.SyntaxError, "unrecognized ANALYZE option %q", o.Name).At(int(o.Pos)))
			}
		}
		return out
	}
	asked := map[string]bool{}
	for _, o := range c.options(n.Options) {
		asked[o.Name] = c.vacuumOption(o)
	}
	out := &ast.Vacuum{Learn: asked["analyze"]}
	columns := slices.ContainsFunc(n.Rels, func(r *pg.Node) bool { return len(r.GetVacuumRelation().GetVaCols()) > 0 })
	var wrong string
	switch {
	case columns && !out.Learn:
		wrong = "ANALYZE option must be specified when a column list is provided"
	case asked["full"] && asked["parallel"]:
		wrong = "VACUUM FULL cannot be performed in parallel"
	case asked["full"] && asked["disable_page_skipping"]:
		wrong = "VACUUM option DISABLE_PAGE_SKIPPING cannot be used with FULL"
	}
	if wrong != "" {
		c.fail(sqlerr.New(sqlerr.FeatureNotSupported, "%s", wrong))
	}
	c.says(!out.Learn, "VACUUM")
	for _, o := range c.options(n.Options) {
		acts := o.Name == "analyze" || o.Name == "verbose" && out.Learn
		c.says(asked[o.Name] && !acts, ast.Clause("VACUUM option "+strings.ToUpper(o.Name)))
	}
	out.Analyze = *c.analyze(n)
	out.Verbose = asked["verbose"]
	return out
}

// mostWorkers is how many workers VACUUM may be given.
const mostWorkers = 1024

// vacuumOption says whether an option of VACUUM asks for something else than what is done without it.
func (c *converter) vacuumOption(o ast.Option) bool {
	switch o.Name {
	case "analyze", "verbose", "full", "freeze", "disable_page_skipping", "skip_locked":
		return c.flag(o)
	case "process_toast", "truncate":
		return !c.flag(o)
	case "index_cleanup":
		return strings.ToLower(o.Value) != "auto" && (c.flag(o) || true)
	case "parallel":
		n, err := strconv.Atoi(o.Value)
		switch {
		case o.Value == "":
			c.fail(sqlerr.New(sqlerr.SyntaxError, "parallel option requires a value between 0 and %d",
				mostWorkers).At(int(o.Pos)))
		case err != nil:
			c.fail(sqlerr.New(sqlerr.SyntaxError, "parallel requires an integer value"))
		case n < 0 || n > mostWorkers:
			c.fail(sqlerr.New(sqlerr.SyntaxError, "parallel workers for vacuum must be between 0 and %d",
				mostWorkers).At(int(o.Pos)))
		}
		return n > 0
	}
	c.fail(sqlerr.New(sqlerr.SyntaxError, "unrecognized VACUUM option %q", o.Name).At(int(o.Pos)))
	return false
}

func (c *converter) analyze(n *pg.VacuumStmt) *ast.Analyze {
	out := &ast.Analyze{}
	for _, r := range n.Rels {
		rel := r.GetVacuumRelation()
		columns := names(rel.GetVaCols())
		c.says(columns != nil, "ANALYZE of columns")
		out.Tables, out.Columns = append(out.Tables, c.tableOnly(rel.GetRelation())), append(out.Columns, columns)
	}
	return out
}

// noLabels is what a server says of SECURITY LABEL that has loaded no provider of labels.
func noLabels(n *pg.SecLabelStmt) error {
	if n.Provider != "" {
		return sqlerr.New(sqlerr.InvalidParameterValue, "security label provider \"%s\" is not loaded", n.Provider)
	}
	return sqlerr.New(sqlerr.InvalidParameterValue, "no security label providers have been loaded")
}
