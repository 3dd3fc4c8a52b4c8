package system

import (
	_ "embed"
	"net/netip"
	"slices"
	"strings"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/collation"
	"zproxy/types/net"
)

// serverFunctions tell of the server, its sessions and what it keeps, and act on them.
var serverFunctions = slices.Concat(backendFunctions, spaceFunctions, describeFunctions)

var backendFunctions = []*expr.Function{
	{Name: "pg_cancel_backend", Args: pg.Sig{pg.Int4}, Result: pg.Boolean, Volatility: expr.Volatile, Doc: "Stops what the session with a number is running; false if there is none.", Fn1: signal(false)},
	{Name: "pg_terminate_backend", Args: pg.Sig{pg.Int4, pg.Int8}, Params: []string{"pid", "timeout"}, Defaults: []string{"'0'"}, Result: pg.Boolean, Volatility: expr.Volatile, Doc: "Ends the session with a number, without waiting for its end; false if there is none.", Fn2: terminate},
	{Name: "current_query", Args: pg.Sig{}, Result: pg.Text, Volatility: expr.Volatile, NotStrict: true, Doc: "Text of the statement that runs.", Fn0: currentQuery},
	{Name: "inet_client_port", Args: pg.Sig{}, Result: pg.Int4, Volatility: expr.Stable, NotStrict: true, Doc: "Port of the client.", Fn0: ofEnd(clientEnd, portOf)},
	{Name: "inet_client_addr", Args: pg.Sig{}, Result: types.OIDInet, Volatility: expr.Stable, NotStrict: true, Doc: "Address of the client.", Fn0: ofEnd(clientEnd, addressOf)},
	{Name: "inet_server_addr", Args: pg.Sig{}, Result: types.OIDInet, Volatility: expr.Stable, NotStrict: true, Doc: "Address that the client connected to.", Fn0: ofEnd(serverEnd, addressOf)},
	{Name: "inet_server_port", Args: pg.Sig{}, Result: pg.Int4, Volatility: expr.Stable, NotStrict: true, Doc: "Port that the client connected to.", Fn0: ofEnd(serverEnd, portOf)},
	{Name: "txid_current", Args: pg.Sig{}, Result: pg.Int8, Volatility: expr.Stable, Doc: "Number of the transaction, which no other of this process has.", Fn0: transactionNumber(true)},
	{Name: "txid_current_if_assigned", Args: pg.Sig{}, Result: pg.Int8, Volatility: expr.Stable, Doc: "Number of the transaction, or NULL before txid_current gave it one.", Fn0: transactionNumber(false)},
	{Name: "pg_export_snapshot", Args: pg.Sig{}, Result: pg.Text, Volatility: expr.Volatile, Doc: "Lets other transactions of the process see what the transaction sees, by SET TRANSACTION SNAPSHOT, until it ends.", Fn0: exportSnapshot},
	{Name: "pg_my_temp_schema", Args: pg.Sig{}, Result: pg.OID, Volatility: expr.Stable, Doc: "OID of the schema of the session's temporary relations; 0: there is none.", Fn0: temporarySchema},
	{Name: "pg_is_other_temp_schema", Args: pg.Sig{pg.OID}, Result: pg.Boolean, Volatility: expr.Stable, Doc: "False: the temporary schemas of other sessions are not told apart.", Fn1: falseOf},
	{Name: "pg_trigger_depth", Args: pg.Sig{}, Result: pg.Int4, Volatility: expr.Stable, Doc: "How many triggers are under way, each fired by what the one before it wrote.", Fn0: triggerDepth},
	{Name: "pg_current_logfile", Args: pg.Sig{}, Result: pg.Text, Volatility: expr.Volatile, NotStrict: true, Doc: "NULL: the log goes to standard error.", Fn0: noValue},
	{Name: "pg_current_logfile", Args: pg.Sig{pg.Text}, Result: pg.Text, Volatility: expr.Volatile, NotStrict: true, Doc: "NULL: the log goes to standard error.", Fn1: nullValue},
	{Name: "pg_encoding_max_length", Args: pg.Sig{pg.Int4}, Result: pg.Int4, Doc: "Most bytes that a character takes in an encoding, by its number.", Fn1: encodingMaxLength},
	{Name: "pg_collation_for", Args: pg.Sig{types.OIDAny}, Result: pg.Text, Volatility: expr.Stable, NotStrict: true, Doc: "Collation of the argument.", Typed: collationFor},
	{Name: "pg_partition_root", Args: pg.Sig{pg.Regclass}, Result: pg.Regclass, Volatility: expr.Stable, Doc: "Table above all that a relation is a partition of.", Fn1: partitionRoot},
	{Name: "pg_partition_ancestors", Args: pg.Sig{pg.Regclass}, Result: pg.Regclass, Volatility: expr.Volatile, Doc: "A relation and those that it is a partition of.", Rows: partitionAncestors, Out: []expr.OutColumn{{Name: "relid", Type: pg.Regclass}}},
	{Name: "pg_partition_tree", Args: pg.Sig{pg.Regclass}, Result: types.OIDRecord, Volatility: expr.Volatile, Doc: "A relation and its partitions, level by level.", Rows: partitionTree, Out: []expr.OutColumn{{Name: "relid", Type: pg.Regclass}, {Name: "parentrelid", Type: pg.Regclass}, {Name: "isleaf", Type: pg.Boolean}, {Name: "level", Type: pg.Int4}}},
	hashPartitions,
	{Name: "pg_get_keywords", Args: pg.Sig{}, Result: types.OIDRecord, Volatility: expr.Stable, Doc: "Words of PostgreSQL 15's SQL, and where they can be names.", Rows: keywordRows, Out: []expr.OutColumn{{Name: "word", Type: pg.Text}, {Name: "catcode", Type: types.OIDChar}, {Name: "barelabel", Type: pg.Boolean}, {Name: "catdesc", Type: pg.Text}, {Name: "baredesc", Type: pg.Text}}},
	{Name: "pg_options_to_table", Args: pg.Sig{types.OIDTextArray}, Params: []string{"options_array"}, Result: types.OIDRecord, Volatility: expr.Stable, Doc: "Options, written name=value, as rows.", Rows: optionRows, Out: []expr.OutColumn{{Name: "option_name", Type: pg.Text}, {Name: "option_value", Type: pg.Text}}},
}

var spaceFunctions = []*expr.Function{
	{Name: "pg_column_size", Args: pg.Sig{types.OIDAny}, Result: pg.Int4, Volatility: expr.Stable, Doc: "Bytes of a value: of its binary form, and four for the length where that varies.", Typed: columnSize},
	{Name: "pg_column_compression", Args: pg.Sig{types.OIDAny}, Result: pg.Text, Volatility: expr.Stable, Doc: "NULL: values are not compressed one by one.", Fn1: nullValue},
	{Name: "pg_relation_size", Args: pg.Sig{pg.Regclass}, Result: pg.Int8, Volatility: expr.Volatile, Doc: "Bytes of a table or an index as the store keeps it: of Pebble in its tables and in memory; of DynamoDB as it counts every six hours, and before that an estimate from the statistics. A primary key takes none besides its table.", Fn1: relationSize},
	{Name: "pg_relation_size", Args: pg.Sig{pg.Regclass, pg.Text}, Result: pg.Int8, Volatility: expr.Volatile, Doc: "Bytes of the fork main, as pg_relation_size tells them; others have none.", Fn2: forkSize},
	{Name: "pg_table_size", Args: pg.Sig{pg.Regclass}, Result: pg.Int8, Volatility: expr.Volatile, Doc: "Bytes of a table without its indexes, as pg_relation_size tells them.", Fn1: relationSize},
	{Name: "pg_indexes_size", Args: pg.Sig{pg.Regclass}, Result: pg.Int8, Volatility: expr.Volatile, Doc: "Bytes of the indexes of a table, as pg_relation_size tells them.", Fn1: indexesSize},
	{Name: "pg_total_relation_size", Args: pg.Sig{pg.Regclass}, Result: pg.Int8, Volatility: expr.Volatile, Doc: "Bytes of a table and its indexes, as pg_relation_size tells them.", Fn1: totalSize},
	{Name: "pg_stat_statements_reset", Result: types.OIDVoid, OID: 9500, Volatility: expr.Volatile, Doc: "Forgets what zproxy.statements tells.", Fn0: resetStatements},
	{Name: "pg_database_size", Args: pg.Sig{pg.Name}, Result: pg.Int8, Volatility: expr.Volatile, Doc: "Bytes of all tables and indexes of a database, as pg_relation_size tells them.", Fn1: sizeNamed(classDatabase)},
	{Name: "pg_database_size", Args: pg.Sig{pg.OID}, Result: pg.Int8, Volatility: expr.Volatile, Doc: "Bytes of all tables and indexes of a database, as pg_relation_size tells them.", Fn1: sizeNumbered(classDatabase)},
	{Name: "pg_tablespace_size", Args: pg.Sig{pg.Name}, Result: pg.Int8, Volatility: expr.Volatile, Doc: "Bytes of all tables and indexes in a tablespace, as pg_relation_size tells them.", Fn1: sizeNamed(classTablespace)},
	{Name: "pg_tablespace_size", Args: pg.Sig{pg.OID}, Result: pg.Int8, Volatility: expr.Volatile, Doc: "Bytes of all tables and indexes in a tablespace, as pg_relation_size tells them.", Fn1: sizeNumbered(classTablespace)},
	{Name: "pg_tablespace_location", Args: pg.Sig{pg.OID}, Result: pg.Text, Volatility: expr.Stable, Doc: "Empty: there are only the tablespaces of the server itself.", Fn1: tablespaceLocation},
}

func triggerDepth(c *expr.Context) (types.Value, error) {
	return types.NewInt(int64(hostOf(c).Session.Triggers)), nil
}

func temporarySchema(c *expr.Context) (types.Value, error) {
	return types.NewInt(int64(hostOf(c).Session.Temporary)), nil
}

func noValue(*expr.Context) (types.Value, error) { return types.Null, nil }

func falseOf(*expr.Context, types.Value) (types.Value, error) { return types.NewBool(false), nil }

func noRows(*expr.Context, []types.Value) expr.Set { return func(func(types.Row, error) bool) {} }

func resetStatements(c *expr.Context) (types.Value, error) {
	if hostOf(c).Session.ResetStatements == nil {
		return types.Null, nil
	}
	return types.Null, hostOf(c).Session.ResetStatements()
}

func signal(all bool) expr.Function1 {
	return func(c *expr.Context, a types.Value) (types.Value, error) {
		if hostOf(c).Session.Signal == nil {
			return types.NewBool(false), nil
		}
		sent, err := hostOf(c).Session.Signal(uint32(a.Int()), all)
		return types.NewBool(sent), err
	}
}

func terminate(c *expr.Context, a, timeout types.Value) (types.Value, error) {
	if timeout.Int() < 0 {
		return types.Null, sqlerr.New(sqlerr.NumericValueOutOfRange, "\"timeout\" must not be negative")
	}
	return signal(true)(c, a)
}

func currentQuery(c *expr.Context) (types.Value, error) { return orNull(hostOf(c).Session.Query), nil }

// The ends of a connection.
const (
	clientEnd = iota
	serverEnd
)

// ofEnd tells of one end of the session's connection, NULL if that is not one of a network.
func ofEnd(side int, what func(netip.AddrPort) types.Value) func(*expr.Context) (types.Value, error) {
	return func(c *expr.Context) (types.Value, error) {
		if end := hostOf(c).Session.Ends[side]; end.IsValid() {
			return what(end), nil
		}
		return types.Null, nil
	}
}

func portOf(end netip.AddrPort) types.Value { return types.NewInt(int64(end.Port())) }

func addressOf(end netip.AddrPort) types.Value { return types.NewBytes(net.Host(end.Addr())) }

func transactionNumber(take bool) func(*expr.Context) (types.Value, error) {
	return func(c *expr.Context) (types.Value, error) {
		in := hostOf(c).Session.Transaction
		if in == nil {
			return types.Null, sqlerr.Unsupported("the number of a transaction here")
		}
		number, ok := in.Number(take)
		if !ok {
			return types.Null, nil
		}
		return types.NewInt(int64(number)), nil
	}
}

func exportSnapshot(c *expr.Context) (types.Value, error) {
	in := hostOf(c).Session.Transaction
	if in == nil {
		return types.Null, sqlerr.Unsupported("exporting a snapshot here")
	}
	id, err := in.Export()
	return types.NewText(id), err
}

// encodingWidths are the most bytes of a character, a digit for each encoding by number.
const encodingWidths = "133343441111111111111111111111111112222432"

func encodingMaxLength(_ *expr.Context, a types.Value) (types.Value, error) {
	if n := a.Int(); n >= 0 && n < int64(len(encodingWidths)) {
		return types.NewInt(int64(encodingWidths[n] - '0')), nil
	}
	return types.Null, nil
}

func collationFor(c *expr.Context, of []types.T, _ []types.Value) (types.Value, error) {
	t := of[0]
	oid := t.Collation.OID
	switch {
	case t.OID == types.OIDUnknown, t.Collation == types.Mixed:
		return types.Null, nil
	case !t.OID.Collates():
		return types.Null, sqlerr.New(sqlerr.DatatypeMismatch, "collations are not supported by type %s",
			types.Of(t.OID))
	case oid == 0 && t.OID == pg.Name:
		oid = collation.C
	case oid == 0:
		oid = collation.Default
	}
	o := objectOf(c, classCollation, int64(oid))
	if o == nil {
		return types.Null, nil
	}
	name := expr.QuoteIdent(o.Name)
	if !o.Visible {
		name = expr.QuoteIdent(o.Schema) + "." + name
	}
	return types.NewText(name), nil
}

// keywordList is a line for each word: the word, a letter for what it can name, and whether
// it can be a label without AS. It is what PostgreSQL 15 answers.
//
//go:embed keywords.txt
var keywordList string

var keywordKinds = map[string]string{
	"U": "unreserved", "C": "unreserved (cannot be function or type name)",
	"T": "reserved (can be function or type name)", "R": "reserved",
}

func keywordRows(*expr.Context, []types.Value) expr.Set {
	return func(yield func(types.Row, error) bool) {
		for line := range strings.Lines(keywordList) {
			f := strings.Fields(line)
			bare := "requires AS"
			if f[2] == "t" {
				bare = "can be bare label"
			}
			row := types.Row{
				types.NewText(f[0]), types.NewText(f[1]), types.NewBool(f[2] == "t"), types.NewText(keywordKinds[f[1]]),
				types.NewText(bare),
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

func optionRows(_ *expr.Context, args []types.Value) expr.Set {
	return func(yield func(types.Row, error) bool) {
		for _, item := range args[0].Array().Items {
			if item.IsNull() {
				continue
			}
			option, value, found := strings.Cut(item.Text(), "=")
			row := types.Row{types.NewText(option), types.Null}
			if found {
				row[1] = types.NewText(value)
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

func columnSize(_ *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
	if size := types.InfoOf(of[0].OID).Size; size > 0 {
		return types.NewInt(int64(size)), nil
	}
	const header = 4
	return types.NewInt(int64(header + len(types.AppendBinary(nil, args[0], of[0])))), nil
}

// size adds parts of what a relation takes; there is no size of what is not there.
func size(
	c *expr.Context, relation types.Value, parts func(r *RelationObject) []func() (int64, error),
) (types.Value, error) {
	r := relationOf(c, relation.Int())
	if r == nil {
		return types.Null, nil
	}
	sum := int64(0)
	for _, part := range parts(r) {
		if part == nil {
			continue
		}
		n, err := part()
		if err != nil {
			return types.Null, err
		}
		sum += n
	}
	return types.NewInt(sum), nil
}

func relationSize(c *expr.Context, a types.Value) (types.Value, error) {
	return size(c, a, func(r *RelationObject) []func() (int64, error) { return []func() (int64, error){r.Bytes} })
}

func indexesSize(c *expr.Context, a types.Value) (types.Value, error) {
	return size(c, a, func(r *RelationObject) []func() (int64, error) { return []func() (int64, error){r.IndexBytes} })
}

func totalSize(c *expr.Context, a types.Value) (types.Value, error) {
	return size(c, a, func(r *RelationObject) []func() (int64, error) {
		return []func() (int64, error){r.Bytes, r.IndexBytes}
	})
}

func forkSize(c *expr.Context, a, fork types.Value) (types.Value, error) {
	switch fork.Text() {
	case "main":
		return relationSize(c, a)
	case "fsm", "vm", "init":
		return size(c, a, func(*RelationObject) []func() (int64, error) { return nil })
	}
	return types.Null, sqlerr.New(sqlerr.InvalidParameterValue, "invalid fork name").
		WithHint("Valid fork names are \"main\", \"fsm\", \"vm\", and \"init\".")
}

// sizeNamed is the size of a database or a tablespace. One that is named must be there.
func sizeNamed(class string) expr.Function1 {
	return func(c *expr.Context, a types.Value) (types.Value, error) {
		if hostOf(c).Objects == nil {
			return types.Null, nil
		}
		id, err := hostOf(c).Objects.Find(class, expr.QuoteIdent(a.Text()))
		if err != nil {
			return types.Null, err
		}
		return sizeNumbered(class)(c, types.NewInt(int64(id)))
	}
}

func sizeNumbered(class string) expr.Function1 {
	return func(c *expr.Context, a types.Value) (types.Value, error) {
		o := objectOf(c, class, a.Int())
		if o == nil || o.Bytes == nil {
			return types.Null, nil
		}
		n, err := o.Bytes()
		return types.NewInt(n), err
	}
}

func tablespaceLocation(c *expr.Context, a types.Value) (types.Value, error) {
	if a.Int() != 0 && objectOf(c, classTablespace, a.Int()) == nil {
		return types.Null, sqlerr.New(sqlerr.UndefinedObject, "tablespace with OID %d does not exist", a.Int())
	}
	return types.NewText(""), nil
}
