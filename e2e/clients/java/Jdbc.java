// pgjdbc: the metadata of a schema, prepared statements in text and binary, streams, batches, updatable results.
import java.io.StringReader;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.sql.*;
import java.time.*;
import java.util.*;
import org.postgresql.PGConnection;
import org.postgresql.PGStatement;

public class Jdbc {
    interface Part {
        void run() throws Exception;
    }

    static String url;
    static Connection c;
    static final String[] KINDS = {
        "a_bool", "a_int2", "a_int4", "a_int8", "a_numeric", "a_numeric_10_2", "a_float4", "a_float8", "a_text", "a_varchar", "a_char", "a_bytea",
        "a_date", "a_time", "a_time_3", "a_timetz", "a_timestamp", "a_timestamptz", "a_interval", "a_uuid", "a_json", "a_jsonb", "a_point",
        "some_int4", "some_text"};

    public static void main(String[] args) throws Exception {
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
        Map<String, String> env = System.getenv();
        url = "jdbc:postgresql://" + env.get("PGHOST") + ":" + env.get("PGPORT") + "/" + env.get("PGDATABASE") + "?user=" + env.get("PGUSER");
        c = DriverManager.getConnection(url);
        part("connection", Jdbc::connection);
        part("schemas and tables", Jdbc::tables);
        part("columns", Jdbc::columns);
        part("keys and indexes", Jdbc::keys);
        part("types", Jdbc::typeInfo);
        part("functions and privileges", Jdbc::functions);
        part("the metadata of a query", Jdbc::queryMetadata);
        part("reads", Jdbc::reads);
        part("values of all types", Jdbc::values);
        part("values there and back", Jdbc::back);
        part("writes and generated keys", Jdbc::writes);
        part("batches", Jdbc::batches);
        part("a transaction with an error and a rollback", Jdbc::transactions);
        part("savepoints and isolation", Jdbc::savepoints);
        part("streams", Jdbc::streams);
        part("an updatable result", Jdbc::updatable);
        part("COPY", Jdbc::copy);
        part("simple queries and other options", Jdbc::options);
        part("timeouts", Jdbc::timeouts);
        c.close();
    }

    static void part(String name, Part p) throws Exception {
        System.out.println("\n== " + name);
        try {
            p.run();
        } catch (Exception e) {
            System.out.println("FAILED: " + said(e));
        }
        if (!c.getAutoCommit()) {
            c.rollback();
            c.setAutoCommit(true);
        }
    }

    static String said(Exception e) {
        String state = e instanceof SQLException s ? s.getSQLState() + " " : "";
        return e.getClass().getSimpleName() + " " + state + ("" + e.getMessage()).replaceAll("\\s+", " ");
    }

    static void fails(Part p) {
        try {
            p.run();
            System.out.println("  did not fail");
        } catch (Exception e) {
            System.out.println("  " + said(e));
        }
    }

    static String show(Object v) throws Exception {
        if (v instanceof byte[] b) {
            return HexFormat.of().formatHex(b);
        }
        if (v instanceof java.sql.Array a) {
            return a.getBaseTypeName() + Arrays.deepToString((Object[]) a.getArray());
        }
        return v == null ? "null" : v.toString();
    }

    // print shows all rows, but for the columns named.
    static void print(ResultSet r, String... without) throws Exception {
        ResultSetMetaData m = r.getMetaData();
        StringBuilder head = new StringBuilder(" ");
        for (int i = 1; i <= m.getColumnCount(); i++) {
            head.append(" ").append(m.getColumnLabel(i));
        }
        System.out.println(head);
        int n = 0;
        for (; r.next(); n++) {
            StringBuilder line = new StringBuilder(" ");
            for (int i = 1; i <= m.getColumnCount(); i++) {
                if (!Arrays.asList(without).contains(m.getColumnLabel(i))) {
                    line.append(" | ").append(show(r.getObject(i)));
                }
            }
            System.out.println(line);
        }
        System.out.println("  (" + n + " rows)");
        r.close();
    }

    static ResultSet query(String sql, Object... args) throws Exception {
        PreparedStatement s = c.prepareStatement(sql);
        s.closeOnCompletion();
        for (int i = 0; i < args.length; i++) {
            s.setObject(i + 1, args[i]);
        }
        return s.executeQuery();
    }

    static int update(String sql, Object... args) throws Exception {
        try (PreparedStatement s = c.prepareStatement(sql)) {
            for (int i = 0; i < args.length; i++) {
                s.setObject(i + 1, args[i]);
            }
            return s.executeUpdate();
        }
    }

    static void connection() throws Exception {
        DatabaseMetaData m = c.getMetaData();
        System.out.println("  " + m.getDatabaseProductName() + " " + m.getDatabaseMajorVersion() + " " + m.getUserName() + " " + c.getCatalog() + " " + c.getSchema());
        System.out.println("  " + c.getTransactionIsolation() + " " + c.isReadOnly() + " " + c.isValid(5) + " " + m.getMaxColumnNameLength() + " " + m.getMaxIndexLength());
        System.out.println("  " + m.getSQLKeywords().length());
        Map<String, String> said = new TreeMap<>(c.unwrap(PGConnection.class).getParameterStatuses());
        said.remove("server_version");
        System.out.println("  " + said);
    }

    static void tables() throws Exception {
        DatabaseMetaData m = c.getMetaData();
        print(m.getCatalogs());
        print(m.getSchemas());
        print(m.getSchemas(null, "arch%"));
        print(m.getTableTypes());
        print(m.getTables(null, "public", "%", null));
        print(m.getTables(null, null, "order%", new String[] {"TABLE", "VIEW"}));
        print(m.getTables("other", "archive", null, new String[] {"TABLE", "INDEX", "SEQUENCE"}));
        print(m.getTables(null, "pg_catalog", "pg_in%", new String[] {"SYSTEM TABLE"}));
        print(m.getTables(null, "public", "nothing", null));
    }

    static void columns() throws Exception {
        DatabaseMetaData m = c.getMetaData();
        print(m.getColumns(null, "public", "%", "%"));
        print(m.getColumns(null, null, "orders", "n%"));
        print(m.getColumns(null, "pg_catalog", "pg_namespace", "%"));
    }

    static void keys() throws Exception {
        DatabaseMetaData m = c.getMetaData();
        for (String t : new String[] {"customers", "orders", "Odd Names", "without_key"}) {
            print(m.getPrimaryKeys(null, "public", t));
            print(m.getIndexInfo(null, "public", t, false, true), "CARDINALITY", "PAGES");
            print(m.getIndexInfo(null, "public", t, true, false), "CARDINALITY", "PAGES");
            print(m.getBestRowIdentifier(null, "public", t, DatabaseMetaData.bestRowSession, true));
            print(m.getVersionColumns(null, "public", t));
        }
        print(m.getPrimaryKeys(null, "archive", "orders"));
        print(m.getImportedKeys(null, "public", "orders"));
        print(m.getExportedKeys(null, "public", "customers"));
        print(m.getCrossReference(null, "public", "customers", null, "public", "orders"));
    }

    static void typeInfo() throws Exception {
        ResultSet r = c.getMetaData().getTypeInfo();
        Set<String> mine = new TreeSet<>(Arrays.asList("bool", "int2", "int4", "int8", "numeric", "float4", "float8", "text", "varchar", "bpchar", "bytea", "date",
            "time", "timetz", "timestamp", "timestamptz", "interval", "uuid", "json", "jsonb", "point", "oid", "name", "_int4", "_text", "serial", "bigserial"));
        while (r.next()) {
            if (mine.contains(r.getString(1))) {
                System.out.println("  " + r.getString(1) + " " + r.getInt(2) + " " + r.getInt(3) + " " + r.getString(4) + " " + r.getString(5) + " " + r.getShort(7)
                    + " " + r.getBoolean(8) + " " + r.getShort(9) + " " + r.getBoolean(10) + " " + r.getBoolean(12) + " " + r.getInt(18));
            }
        }
        print(c.getMetaData().getUDTs(null, "public", "%", null));
    }

    static void functions() throws Exception {
        DatabaseMetaData m = c.getMetaData();
        print(m.getProcedures(null, "public", "%"));
        print(m.getFunctions(null, "public", "%"));
        print(m.getFunctions(null, "pg_catalog", "abs"), "SPECIFIC_NAME");
        print(m.getFunctionColumns(null, "pg_catalog", "repeat", "%"), "SPECIFIC_NAME");
        print(m.getTablePrivileges(null, "public", "orders"));
        print(m.getColumnPrivileges(null, "public", "without_key", "%"));
        print(m.getClientInfoProperties());
    }

    static void queryMetadata() throws Exception {
        try (PreparedStatement s = c.prepareStatement("SELECT c.id, c.name AS called, o.total, o.placed, 1 + 1 AS two, count(*) OVER () FROM customers c JOIN orders o ON o.customer = c.id WHERE c.id = ? AND o.total > ?")) {
            ResultSetMetaData m = s.getMetaData();
            for (int i = 1; i <= m.getColumnCount(); i++) {
                System.out.println("  " + m.getColumnLabel(i) + " " + m.getColumnName(i) + " " + m.getColumnTypeName(i) + " " + m.getColumnType(i) + " " + m.getPrecision(i)
                    + " " + m.getScale(i) + " " + m.getTableName(i) + " " + m.getSchemaName(i) + " " + m.isNullable(i) + " " + m.isAutoIncrement(i)
                    + " " + m.getColumnDisplaySize(i) + " " + m.getColumnClassName(i) + " " + m.isSigned(i));
            }
            ParameterMetaData p = s.getParameterMetaData();
            for (int i = 1; i <= p.getParameterCount(); i++) {
                System.out.println("  $" + i + " " + p.getParameterTypeName(i) + " " + p.getParameterType(i) + " " + p.getParameterClassName(i));
            }
        }
    }

    static void reads() throws Exception {
        print(query("SELECT id, name, email, tags, profile, created FROM customers WHERE id = ANY (?) OR name = ? ORDER BY id", c.createArrayOf("int8", new Long[] {1L, 3L}), "bob"));
        print(query("SELECT * FROM orders WHERE total > ? AND placed >= ? ORDER BY total LIMIT ?", new BigDecimal("12.0"), LocalDateTime.of(2026, 3, 1, 8, 0), 2));
        print(query("SELECT ? || 'x', ?::int + 1, ?::text, {fn upper(name)}, {d '2024-02-29'} FROM customers WHERE id = 2", "it's", 1, null));
        try (PreparedStatement s = c.prepareStatement("SELECT total, number FROM orders WHERE number = ?")) {
            s.unwrap(PGStatement.class).setPrepareThreshold(3);
            for (int i = 1; i <= 4; i++) { // prepared, and binary, from the third on
                s.setInt(1, i);
                ResultSet r = s.executeQuery();
                r.next();
                System.out.println("  " + s.unwrap(PGStatement.class).isUseServerPrepare() + " " + r.getBigDecimal(1) + " " + r.getInt(2));
            }
        }
        print(query("SELECT name, statement, parameter_types, from_sql FROM pg_prepared_statements WHERE statement LIKE '%number = $1' ORDER BY statement"), "name");
    }

    static void values() throws Exception {
        for (int threshold : new int[] {0, -1}) { // in text, and in binary from the first time on
            System.out.println("  threshold " + threshold);
            for (String column : KINDS) {
                try (PreparedStatement s = c.prepareStatement("SELECT " + column + " FROM kinds ORDER BY id")) {
                    s.unwrap(PGStatement.class).setPrepareThreshold(threshold);
                    ResultSet r = s.executeQuery();
                    StringBuilder line = new StringBuilder("  " + column + " " + r.getMetaData().getColumnTypeName(1) + " " + r.getMetaData().getColumnClassName(1));
                    while (r.next()) {
                        line.append(" | ").append(column.equals("a_bytea") ? show(r.getBytes(1)) : r.getString(1)).append(" ").append(show(r.getObject(1)));
                    }
                    System.out.println(line);
                } catch (Exception e) {
                    System.out.println("  " + column + " FAILED: " + said(e));
                }
            }
        }
    }

    static void back() throws Exception {
        Object[] values = {true, (short) -32768, 2147483647, Long.MIN_VALUE, new BigDecimal("-12.340"), 1.5f, Double.POSITIVE_INFINITY, "it's \\ é\n", new byte[] {0, -1, 39},
            java.sql.Date.valueOf("2024-02-29"), Time.valueOf("01:02:03"), Timestamp.valueOf("1999-12-31 23:59:59.999999"), LocalDate.of(2024, 2, 29), LocalTime.of(1, 2, 3, 4000),
            LocalDateTime.of(2024, 7, 1, 12, 0), OffsetDateTime.of(2024, 7, 1, 12, 0, 0, 0, ZoneOffset.ofHours(2)), OffsetTime.of(1, 2, 3, 0, ZoneOffset.ofHours(2)), UUID.fromString("a0000000-0000-0000-0000-000000000001"),
            new org.postgresql.util.PGInterval("1 mon 2 days 03:04:05.6"), new org.postgresql.geometric.PGpoint(1.5, -2)};
        for (int threshold : new int[] {0, -1}) {
            for (Object v : values) {
                try (PreparedStatement s = c.prepareStatement("SELECT ?")) {
                    s.unwrap(PGStatement.class).setPrepareThreshold(threshold);
                    s.setObject(1, v);
                    ResultSet r = s.executeQuery();
                    r.next();
                    System.out.println("  " + v.getClass().getSimpleName() + " " + r.getMetaData().getColumnTypeName(1) + " " + show(r.getObject(1)));
                } catch (Exception e) {
                    System.out.println("  " + v.getClass().getSimpleName() + " FAILED: " + said(e));
                }
            }
            for (java.sql.Array a : new java.sql.Array[] {c.createArrayOf("int4", new Integer[] {1, null, 3}), c.createArrayOf("text", new String[] {"a b", null, "\""}),
                c.createArrayOf("float8", new Double[] {1.5, -0.0}), c.createArrayOf("int8", new Long[][] {{1L, 2L}, {3L, 4L}})}) {
                try (PreparedStatement s = c.prepareStatement("SELECT ?")) {
                    s.unwrap(PGStatement.class).setPrepareThreshold(threshold);
                    s.setArray(1, a);
                    ResultSet r = s.executeQuery();
                    r.next();
                    System.out.println("  " + show(r.getArray(1)));
                }
            }
        }
    }

    static void writes() throws Exception {
        try (PreparedStatement s = c.prepareStatement("INSERT INTO customers (name, tags, profile) VALUES (?, ?, ?::jsonb)", Statement.RETURN_GENERATED_KEYS)) {
            s.setString(1, "dan");
            s.setArray(2, c.createArrayOf("text", new String[] {"a"}));
            s.setString(3, "{\"a\": 1}");
            System.out.println("  " + s.executeUpdate());
            print(s.getGeneratedKeys());
        }
        try (PreparedStatement s = c.prepareStatement("INSERT INTO orders (customer, total) VALUES (?, ?), (?, NULL)", new String[] {"number", "placed"})) {
            s.setLong(1, 4);
            s.setBigDecimal(2, new BigDecimal("1.5"));
            s.setObject(3, 4, Types.BIGINT);
            System.out.println("  " + s.executeUpdate());
            print(s.getGeneratedKeys());
        }
        System.out.println("  " + update("UPDATE orders SET note = ? WHERE customer = ?", "new", 4) + " " + update("DELETE FROM orders WHERE customer = ? AND total IS NULL", 4));
        try (PreparedStatement s = c.prepareStatement("INSERT INTO kinds (id, a_bool, a_date, a_float4, a_jsonb) VALUES (?, ?, ?, ?, ?)")) {
            s.setInt(1, 100);
            for (int i = 2; i <= 5; i++) {
                s.setNull(i, new int[] {Types.BOOLEAN, Types.DATE, Types.REAL, Types.OTHER}[i - 2]);
            }
            System.out.println("  " + s.executeUpdate());
        }
    }

    static void batches() throws Exception {
        try (PreparedStatement s = c.prepareStatement("INSERT INTO without_key VALUES (?, ?)")) {
            for (int i = 0; i < 5; i++) {
                s.setInt(1, i);
                s.setString(2, "n" + i);
                s.addBatch();
            }
            System.out.println("  " + Arrays.toString(s.executeBatch()));
        }
        try (Connection rewriting = DriverManager.getConnection(url + "&reWriteBatchedInserts=true"); PreparedStatement s = rewriting.prepareStatement("INSERT INTO without_key VALUES (?, ?)")) {
            for (int i = 5; i < 12; i++) {
                s.setInt(1, i);
                s.setString(2, "n" + i);
                s.addBatch();
            }
            System.out.println("  " + Arrays.toString(s.executeBatch()));
        }
        try (PreparedStatement s = c.prepareStatement("INSERT INTO orders (customer, number) VALUES (?, ?)", Statement.RETURN_GENERATED_KEYS)) {
            for (int i : new int[] {50, 51, 1, 52}) {
                s.setInt(1, i == 1 ? 1 : 4);
                s.setInt(2, i);
                s.addBatch();
            }
            try {
                s.executeBatch();
            } catch (BatchUpdateException e) {
                System.out.println("  " + Arrays.toString(e.getUpdateCounts()) + " " + said(e) + " " + said(e.getNextException()));
            }
        }
        try (Statement s = c.createStatement()) {
            s.addBatch("UPDATE without_key SET b = 'x' WHERE a < 3");
            s.addBatch("DELETE FROM without_key WHERE a = 4");
            System.out.println("  " + Arrays.toString(s.executeBatch()));
        }
        print(query("SELECT * FROM without_key ORDER BY a"));
        print(query("SELECT customer, number FROM orders WHERE number >= 50 ORDER BY number"));
    }

    static void transactions() throws Exception {
        c.setAutoCommit(false);
        update("INSERT INTO without_key VALUES (100, 'lost')");
        fails(() -> update("INSERT INTO customers (name) VALUES (?)", ""));
        fails(() -> query("SELECT 1"));
        c.rollback();
        print(query("SELECT count(*) FROM without_key WHERE a = 100"));
        c.commit();
        c.setAutoCommit(true);
        String[] wrong = {"SELECT 1/0", "SELECT * FROM nothing", "SELECT nothing FROM orders", "SELEC 1", "INSERT INTO customers (name, email) VALUES ('x', 'ann@example.org')",
            "INSERT INTO orders VALUES (NULL)", "SELECT 'x'::int", "INSERT INTO kinds (id, a_char) VALUES (9, 'toolong')"};
        for (String sql : wrong) {
            try (Statement s = c.createStatement()) {
                s.execute(sql);
            } catch (org.postgresql.util.PSQLException e) {
                var m = e.getServerErrorMessage();
                System.out.println("  " + m.getSQLState() + " " + m.getSeverity() + " " + m.getMessage() + " | " + m.getDetail() + " | " + m.getHint() + " | " + m.getPosition()
                    + " " + m.getSchema() + " " + m.getTable() + " " + m.getColumn() + " " + m.getConstraint());
            }
        }
    }

    static void savepoints() throws Exception {
        c.setAutoCommit(false);
        c.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        update("INSERT INTO without_key VALUES (200, 'kept')");
        Savepoint a = c.setSavepoint();
        Savepoint b = c.setSavepoint("b b");
        update("INSERT INTO without_key VALUES (201, 'lost')");
        c.rollback(b);
        c.releaseSavepoint(a);
        c.commit();
        c.setReadOnly(true);
        fails(() -> update("INSERT INTO without_key VALUES (202, 'x')"));
        c.rollback();
        c.setReadOnly(false);
        c.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        print(query("SELECT a FROM without_key WHERE a >= 200"));
        try (Connection always = DriverManager.getConnection(url + "&autosave=always")) {
            always.setAutoCommit(false);
            Statement s = always.createStatement();
            s.executeUpdate("INSERT INTO without_key VALUES (203, 'y')");
            fails(() -> s.executeUpdate("SELECT 1/0"));
            System.out.println("  " + s.executeUpdate("UPDATE without_key SET b = 'z' WHERE a = 203"));
            always.commit();
        }
    }

    static void streams() throws Exception {
        c.setAutoCommit(false);
        for (int threshold : new int[] {0, -1}) {
            try (PreparedStatement s = c.prepareStatement("SELECT n, n * 2 FROM generate_series(1, ?) n")) {
                s.unwrap(PGStatement.class).setPrepareThreshold(threshold);
                s.setFetchSize(7);
                s.setInt(1, 100);
                ResultSet r = s.executeQuery();
                long sum = 0;
                for (int i = 0; r.next(); i++) {
                    sum += r.getInt(1) + r.getInt(2);
                    if (i == 50) {
                        print(query("SELECT count(*) FROM orders WHERE customer = ?", 1)); // another one in between
                    }
                }
                System.out.println("  " + sum);
            }
        }
        try (PreparedStatement s = c.prepareStatement("SELECT number FROM orders WHERE customer < ? ORDER BY number", ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY)) {
            s.setInt(1, 3);
            ResultSet r = s.executeQuery();
            System.out.println("  " + r.last() + " " + r.getInt(1) + " " + r.absolute(2) + " " + r.getInt(1) + " " + r.previous() + " " + r.getInt(1));
            s.setMaxRows(2);
            print(s.executeQuery());
        }
    }

    static void updatable() throws Exception {
        try (Statement s = c.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE)) {
            ResultSet r = s.executeQuery("SELECT customer, number, note, total FROM orders WHERE customer = 1 ORDER BY number");
            r.next();
            r.updateString("note", "changed");
            r.updateBigDecimal("total", new BigDecimal("77.5"));
            r.updateRow();
            r.next();
            r.deleteRow();
            r.moveToInsertRow();
            r.updateLong("customer", 1);
            r.updateInt("number", 900);
            r.updateNull("note");
            r.insertRow();
            r.beforeFirst();
            r.next();
            r.refreshRow();
            System.out.println("  " + r.getString("note") + " " + r.getBigDecimal("total"));
        }
        print(query("SELECT * FROM orders WHERE customer = 1 ORDER BY number"));
    }

    static void copy() throws Exception {
        var copies = c.unwrap(PGConnection.class).getCopyAPI();
        System.out.println("  " + copies.copyIn("COPY without_key FROM STDIN WITH (FORMAT csv)", new StringReader("300,\"x,y\"\n301,\n")));
        StringWriter out = new StringWriter();
        System.out.println("  " + copies.copyOut("COPY (SELECT a, b FROM without_key WHERE a >= 300 ORDER BY a) TO STDOUT", out) + " " + out.toString().replace("\n", "/").replace("\t", ","));
        fails(() -> copies.copyIn("COPY without_key FROM STDIN", new StringReader("x\ty\n")));
    }

    static void options() throws Exception {
        for (String option : new String[] {"preferQueryMode=simple", "preferQueryMode=extendedForPrepared", "preferQueryMode=extendedCacheEverything", "binaryTransfer=false", "currentSchema=archive",
            "options=-c%20statement_timeout=5s", "assumeMinServerVersion=15&ApplicationName=tests", "stringtype=unspecified", "prepareThreshold=1"}) {
            System.out.println("  " + option);
            try (Connection other = DriverManager.getConnection(url + "&" + option); PreparedStatement s = other.prepareStatement("SELECT count(*), ? + 1, ? FROM orders WHERE number = ?")) {
                s.setInt(1, 41);
                s.setString(2, "it's");
                s.setInt(3, 1);
                print(s.executeQuery());
                try (Statement several = other.createStatement()) {
                    boolean rows = several.execute("SELECT 1 AS a; SET search_path = public; SHOW statement_timeout");
                    while (rows || several.getUpdateCount() != -1) {
                        if (rows) {
                            print(several.getResultSet());
                        }
                        rows = several.getMoreResults();
                    }
                }
            } catch (Exception e) {
                System.out.println("  FAILED: " + said(e));
            }
        }
    }

    static void timeouts() throws Exception {
        try (Statement s = c.createStatement()) {
            s.setQueryTimeout(1);
            fails(() -> s.executeQuery("SELECT count(*) FROM generate_series(1, 1000000000)"));
            s.setQueryTimeout(0);
            print(s.executeQuery("SELECT 1 AS alive"));
            s.execute("DROP TABLE IF EXISTS nothing");
            System.out.println("  " + s.getWarnings());
        }
    }
}
