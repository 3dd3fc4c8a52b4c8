// Package session is one client: SQL text in, rows out. It is the one package that sees
// the whole pipeline, and has no logic of its own but the order of its steps, prepared
// statements and portals.
//
// Other parts of a session are in the packages below: its user in session/identity, its settings
// in session/settings, its transaction in session/transaction, what ends and bounds its
// statements in session/bounds. `session.parts` holds them, `session.reach` makes from them what
// statements and functions run in, and the types in `session.steps` run statements with that.
//
// # The life of a SELECT
//
//  1. `wire.Server` accepts a connection; a goroutine of its own reads the startup packet
//     and asks `session.DB.Connect` for a `session.Session`.
//  2. `wire.conn.query` makes a text of a Query message and checks that it is UTF-8; nothing
//     behind it checks again. `session.Session.Query` runs the statements of the text, and
//     `runner.simple` one of them.
//  3. `parser.ParseUntil` reads the text with PostgreSQL's own grammar and makes a list of
//     `ast.Parsed`, here with an `ast.Select`. Any number of sessions do so at once.
//  4. `planning.plan` makes the plan of a `Statement`, from `planning.optimized`.
//     `planner.Planner` resolves names against the `catalog.Snapshot` of the moment,
//     checks types, and makes a `plan.Node`: a `plan.Project` over a `plan.Filter` over a
//     `plan.Scan` whose expressions are `expr.Expr`. A join is a `plan.Join` of two such
//     inputs; a subquery in an expression is an `expr.Subquery` with a plan of its own.
//  5. `optimizer.Optimize` runs the rules of `optimizer.Phases`. Subqueries become joins,
//     joins get an order and a `plan.JoinMethod`, and one rule asks
//     `access.Choose` for the path by which the scan reads its table: the longest matching
//     prefix of an index or a Z-order box, as a `plan.Access` with the conditions that are
//     left over.
//  6. `runner.answer` answers for the `Portal` of the statement, and `runner.selectRows` reads it.
//     `executor.Run` begins a stream of `types.Batch`. When the scan opens, each
//     `plan.Bound` becomes a `span.Set` of values; `keys.Codec.Spans` makes tuples of
//     them, and `keys.Codec.Range` or `keys.Codec.Boxes` makes bytes: a `store.Range`, and
//     for a box a `store.Skipper`.
//  7. `store.Txn.Scan` yields the items of each range, from the snapshot that
//     `store.Store.Begin` took; `rows.Decoder` decodes only the columns asked for.
//  8. The executor checks what the ranges did not decide, looks rows up with
//     `store.Txn.Get` where the index does not hold all columns, and computes the rest:
//     joins, groups, windows, sorts. What it keeps is bounded by `executor.Env`, partly by
//     going on in temporary files.
//  9. Each batch goes back through `session.Client.Rows` to wire, which writes the rows as
//     messages; `session.Client.Done` ends the statement, and ReadyForQuery reports
//     `session.Session.Status`.
//
// In the extended protocol `Session.Prepare` does steps 3 to 5 for a Parse message, and
// again only when the catalog has changed (`planning.current`); `Session.Bind` makes a
// `Portal` of the statement and its values; `Session.Execute` goes on with step 6, perhaps
// for some rows only, which `runner.open` makes a source of.
//
// A query here is a Query message, a statement one of its statements, a plan a `plan.Node`;
// what reads rows is a SELECT. A write goes the same way to `executor.Write`, which
// puts rows and index entries into one `store.Txn`; `store.Txn.Commit` makes them visible
// at once. A statement that changes the schema puts descriptors there, too: the transaction
// plans with its own `catalog.Snapshot`, which the commit makes that of all sessions.
package session
