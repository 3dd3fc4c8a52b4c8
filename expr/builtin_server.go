package expr

import (
	_ "embed"
	"slices"
	"strings"

	"zproxy/sqlerr"
	"zproxy/types"
)

// serverFunctions tell of the server, its sessions and what it keeps, and act on them.
var serverFunctions = slices.Concat(backendFunctions, spaceFunctions, describeFunctions)

var backendFunctions = []*Function{
	{Name: "pg_cancel_backend", Args: sig{int4}, Result: boolean, Volatility: Volatile, Doc: "Stops what the session with a number is running; false if there is none.", Fn1: signal(false)},
	{Name: "pg_terminate_backend", Args: sig{int4, int8}, Params: []string{"pid", "timeout"}, Defaults: []string{"'0'"}, Result: boolean, Volatility: Volatile, Doc: "Ends the session with a number, without waiting for its end; false if there is none.", Fn2: terminate},
	{Name: "current_query", Args: sig{}, Result: text, Volatility: Volatile, NotStrict: true, Doc: "Text of the statement that runs.", Fn0: currentQuery},
	{Name: "inet_client_port", Args: sig{}, Result: int4, Volatility: Stable, NotStrict: true, Doc: "Port of the client.", Fn0: portOf(0)},
	{Name: "inet_server_port", Args: sig{}, Result: int4, Volatility: Stable, NotStrict: true, Doc: "Port that the client connected to.", Fn0: portOf(1)},
	{Name: "txid_current", Args: sig{}, Result: int8, Volatility: Stable, Doc: "Number of the transaction, which no other of this process has.", Fn0: transactionNumber(true)},
	{Name: "txid_current_if_assigned", Args: sig{}, Result: int8, Volatility: Stable, Doc: "Number of the transaction, or NULL before txid_current gave it one.", Fn0: transactionNumber(false)},
	{Name: "pg_my_temp_schema", Args: sig{}, Result: oid, Volatility: Stable, Doc: "OID of the schema of the session's temporary relations; 0: there is none.", Fn0: temporarySchema},
	{Name: "pg_is_other_temp_schema", Args: sig{oid}, Result: boolean, Volatility: Stable, Doc: "False: the temporary schemas of other sessions are not told apart.", Fn1: falseOf},
	{Name: "pg_trigger_depth", Args: sig{}, Result: int4, Volatility: Stable, Doc: "0: there are no triggers.", Fn0: zeroValue},
	{Name: "pg_current_logfile", Args: sig{}, Result: text, Volatility: Volatile, NotStrict: true, Doc: "NULL: the log goes to standard error.", Fn0: noValue},
	{Name: "pg_current_logfile", Args: sig{text}, Result: text, Volatility: Volatile, NotStrict: true, Doc: "NULL: the log goes to standard error.", Fn1: nullValue},
	{Name: "pg_encoding_max_length", Args: sig{int4}, Result: int4, Doc: "Most bytes that a character takes in an encoding, by its number.", Fn1: encodingMaxLength},
	{Name: "pg_collation_for", Args: sig{types.OIDAny}, Result: text, Volatility: Stable, NotStrict: true, Doc: "Collation of the argument.", Typed: collationFor},
	{Name: "pg_partition_root", Args: sig{regclass}, Result: regclass, Doc: "NULL: no table is partitioned.", Fn1: nullValue},
	{Name: "pg_partition_ancestors", Args: sig{regclass}, Result: regclass, Volatility: Volatile, Doc: "Nothing: no table is partitioned.", Rows: noRows, Out: []OutColumn{{"relid", regclass}}},
	{Name: "pg_partition_tree", Args: sig{regclass}, Result: types.OIDRecord, Volatility: Volatile, Doc: "Nothing: no table is partitioned.", Rows: noRows, Out: []OutColumn{{"relid", regclass}, {"parentrelid", regclass}, {"isleaf", boolean}, {"level", int4}}},
	{Name: "pg_get_keywords", Args: sig{}, Result: types.OIDRecord, Volatility: Stable, Doc: "Words of PostgreSQL 15's SQL, and where they can be names.", Rows: keywordRows, Out: []OutColumn{{"word", text}, {"catcode", types.OIDChar}, {"barelabel", boolean}, {"catdesc", text}, {"baredesc", text}}},
	{Name: "pg_options_to_table", Args: sig{types.OIDTextArray}, Params: []string{"options_array"}, Result: types.OIDRecord, Volatility: Stable, Doc: "Options, written name=value, as rows.", Rows: optionRows, Out: []OutColumn{{"option_name", text}, {"option_value", text}}},
}

var spaceFunctions = []*Function{
	{Name: "pg_column_size", Args: sig{types.OIDAny}, Result: int4, Volatility: Stable, Doc: "Bytes of a value: of its binary form, and four for the length where that varies.", Typed: columnSize},
	{Name: "pg_column_compression", Args: sig{types.OIDAny}, Result: text, Volatility: Stable, Doc: "NULL: values are not compressed one by one.", Fn1: nullValue},
	{Name: "pg_relation_size", Args: sig{regclass}, Result: int8, Volatility: Volatile, Doc: "Bytes of a table or an index as the store keeps it: of Pebble in its tables and in memory; of DynamoDB as it counts every six hours, and before that an estimate from the statistics. A primary key takes none besides its table.", Fn1: relationSize},
	{Name: "pg_relation_size", Args: sig{regclass, text}, Result: int8, Volatility: Volatile, Doc: "Bytes of the fork main, as pg_relation_size tells them; others have none.", Fn2: forkSize},
	{Name: "pg_table_size", Args: sig{regclass}, Result: int8, Volatility: Volatile, Doc: "Bytes of a table without its indexes, as pg_relation_size tells them.", Fn1: relationSize},
	{Name: "pg_indexes_size", Args: sig{regclass}, Result: int8, Volatility: Volatile, Doc: "Bytes of the indexes of a table, as pg_relation_size tells them.", Fn1: indexesSize},
	{Name: "pg_total_relation_size", Args: sig{regclass}, Result: int8, Volatility: Volatile, Doc: "Bytes of a table and its indexes, as pg_relation_size tells them.", Fn1: totalSize},
	{Name: "pg_stat_statements_reset", Result: types.OIDVoid, OID: 9500, Volatility: Volatile, Doc: "Forgets what zproxy.statements tells.", Fn0: resetStatements},
	{Name: "pg_database_size", Args: sig{name}, Result: int8, Volatility: Volatile, Doc: "Bytes of all tables and indexes of a database, as pg_relation_size tells them.", Fn1: sizeNamed(classDatabase)},
	{Name: "pg_database_size", Args: sig{oid}, Result: int8, Volatility: Volatile, Doc: "Bytes of all tables and indexes of a database, as pg_relation_size tells them.", Fn1: sizeNumbered(classDatabase)},
	{Name: "pg_tablespace_size", Args: sig{name}, Result: int8, Volatility: Volatile, Doc: "Bytes of all tables and indexes in a tablespace, as pg_relation_size tells them.", Fn1: sizeNamed(classTablespace)},
	{Name: "pg_tablespace_size", Args: sig{oid}, Result: int8, Volatility: Volatile, Doc: "Bytes of all tables and indexes in a tablespace, as pg_relation_size tells them.", Fn1: sizeNumbered(classTablespace)},
	{Name: "pg_tablespace_location", Args: sig{oid}, Result: text, Volatility: Stable, Doc: "Empty: there are only the tablespaces of the server itself.", Fn1: tablespaceLocation},
}

func zeroValue(*Context) (types.Value, error) { return types.NewInt(0), nil }

func temporarySchema(c *Context) (types.Value, error) {
	return types.NewInt(int64(hostOf(c).Session.Temporary)), nil
}

func noValue(*Context) (types.Value, error) { return types.Null, nil }

func falseOf(*Context, types.Value) (types.Value, error) { return types.NewBool(false), nil }

func noRows(*Context, []types.Value) Set { return func(func(types.Row, error) bool) {} }

func resetStatements(c *Context) (types.Value, error) {
	if hostOf(c).Session.ResetStatements == nil {
		return types.Null, nil
	}
	return types.Null, hostOf(c).Session.ResetStatements()
}

func signal(all bool) function1 {
	return func(c *Context, a types.Value) (types.Value, error) {
		if hostOf(c).Session.Signal == nil {
			return types.NewBool(false), nil
		}
		sent, err := hostOf(c).Session.Signal(uint32(a.Int()), all)
		return types.NewBool(sent), err
	}
}

func terminate(c *Context, a, timeout types.Value) (types.Value, error) {
	if timeout.Int() < 0 {
		return types.Null, sqlerr.New(sqlerr.NumericValueOutOfRange, "\"timeout\" must not be negative")
	}
	return signal(true)(c, a)
}

func currentQuery(c *Context) (types.Value, error) { return orNull(hostOf(c).Session.Query), nil }

func portOf(side int) func(*Context) (types.Value, error) {
	return func(c *Context) (types.Value, error) {
		if port := hostOf(c).Session.Ports[side]; port != 0 {
			return types.NewInt(int64(port)), nil
		}
		return types.Null, nil
	}
}

func transactionNumber(take bool) func(*Context) (types.Value, error) {
	return func(c *Context) (types.Value, error) {
		if hostOf(c).Session.Number == nil {
			return types.Null, sqlerr.Unsupported("the number of a transaction here")
		}
		number, ok := hostOf(c).Session.Number(take)
		if !ok {
			return types.Null, nil
		}
		return types.NewInt(int64(number)), nil
	}
}

// encodingWidths are the most bytes of a character, a digit for each encoding by number.
const encodingWidths = "133343441111111111111111111111111112222432"

func encodingMaxLength(_ *Context, a types.Value) (types.Value, error) {
	if n := a.Int(); n >= 0 && n < int64(len(encodingWidths)) {
		return types.NewInt(int64(encodingWidths[n] - '0')), nil
	}
	return types.Null, nil
}

func collationFor(_ *Context, of []types.T, _ []types.Value) (types.Value, error) {
	switch {
	case of[0].OID == types.OIDUnknown:
		return types.Null, nil
	case of[0].OID == name:
		return types.NewText(`"C"`), nil
	case types.InfoOf(of[0].OID).Category != types.CategoryString:
		return types.Null, sqlerr.New(sqlerr.DatatypeMismatch, "collations are not supported by type %s", types.Of(of[0].OID))
	}
	return types.NewText(`"default"`), nil
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

func keywordRows(*Context, []types.Value) Set {
	return func(yield func(types.Row, error) bool) {
		for line := range strings.Lines(keywordList) {
			f := strings.Fields(line)
			bare := "requires AS"
			if f[2] == "t" {
				bare = "can be bare label"
			}
			row := types.Row{types.NewText(f[0]), types.NewText(f[1]), types.NewBool(f[2] == "t"), types.NewText(keywordKinds[f[1]]), types.NewText(bare)}
			if !yield(row, nil) {
				return
			}
		}
	}
}

func optionRows(_ *Context, args []types.Value) Set {
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

func columnSize(_ *Context, of []types.T, args []types.Value) (types.Value, error) {
	if size := types.InfoOf(of[0].OID).Size; size > 0 {
		return types.NewInt(int64(size)), nil
	}
	const header = 4
	return types.NewInt(int64(header + len(types.AppendBinary(nil, args[0], of[0])))), nil
}

// size adds parts of what a relation takes; there is no size of what is not there.
func (c *Context) size(relation types.Value, parts func(r *RelationObject) []func() (int64, error)) (types.Value, error) {
	r := c.relation(relation.Int())
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

func relationSize(c *Context, a types.Value) (types.Value, error) {
	return c.size(a, func(r *RelationObject) []func() (int64, error) { return []func() (int64, error){r.Bytes} })
}

func indexesSize(c *Context, a types.Value) (types.Value, error) {
	return c.size(a, func(r *RelationObject) []func() (int64, error) { return []func() (int64, error){r.IndexBytes} })
}

func totalSize(c *Context, a types.Value) (types.Value, error) {
	return c.size(a, func(r *RelationObject) []func() (int64, error) { return []func() (int64, error){r.Bytes, r.IndexBytes} })
}

func forkSize(c *Context, a, fork types.Value) (types.Value, error) {
	switch fork.Text() {
	case "main":
		return relationSize(c, a)
	case "fsm", "vm", "init":
		return c.size(a, func(*RelationObject) []func() (int64, error) { return nil })
	}
	return types.Null, sqlerr.New(sqlerr.InvalidParameterValue, "invalid fork name").
		WithHint("Valid fork names are \"main\", \"fsm\", \"vm\", and \"init\".")
}

// sizeNamed is the size of a database or a tablespace. One that is named must be there.
func sizeNamed(class string) function1 {
	return func(c *Context, a types.Value) (types.Value, error) {
		if hostOf(c).Objects == nil {
			return types.Null, nil
		}
		id, err := hostOf(c).Objects.Find(class, QuoteIdent(a.Text()))
		if err != nil {
			return types.Null, err
		}
		return sizeNumbered(class)(c, types.NewInt(int64(id)))
	}
}

func sizeNumbered(class string) function1 {
	return func(c *Context, a types.Value) (types.Value, error) {
		o := c.object(class, a.Int())
		if o == nil || o.Bytes == nil {
			return types.Null, nil
		}
		n, err := o.Bytes()
		return types.NewInt(n), err
	}
}

func tablespaceLocation(c *Context, a types.Value) (types.Value, error) {
	if a.Int() != 0 && c.object(classTablespace, a.Int()) == nil {
		return types.Null, sqlerr.New(sqlerr.UndefinedObject, "tablespace with OID %d does not exist", a.Int())
	}
	return types.NewText(""), nil
}
