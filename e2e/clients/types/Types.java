// pgjdbc: types of a database's own, by PGobject, arrays and maps, in text and in binary.
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.file.*;
import java.sql.*;
import java.util.*;
import org.postgresql.PGConnection;
import org.postgresql.util.PGobject;

public class Types {
    static Connection c;

    interface Part {
        void run() throws Exception;
    }

    public static void main(String[] args) throws Exception {
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
        Map<String, String> env = System.getenv();
        String url = "jdbc:postgresql://" + env.get("PGHOST") + ":" + env.get("PGPORT") + "/" + env.get("PGDATABASE") + "?user=" + env.get("PGUSER");
        for (String option : new String[] {"", "&binaryTransferEnable=1043,25,1700,16,23&prepareThreshold=-1", "&preferQueryMode=simple"}) {
            c = DriverManager.getConnection(url + option);
            System.out.println("\n== options " + option);
            if (option.isEmpty()) {
                c.createStatement().execute(Files.readString(Path.of("types/types.sql")));
            }
            for (Part p : new Part[] {Types::back, Types::arrays, Types::metadata, Types::copies, Types::wrong}) {
                try {
                    p.run();
                } catch (Exception e) {
                    System.out.println("FAILED: " + said(e));
                }
            }
            c.close();
        }
    }

    static String said(Exception e) {
        String state = e instanceof SQLException s ? s.getSQLState() + " " : "";
        return e.getClass().getSimpleName() + " " + state + ("" + e.getMessage()).replaceAll("\\s+", " ");
    }

    static String show(Object v) throws Exception {
        if (v instanceof java.sql.Array a) {
            return a.getBaseTypeName() + Arrays.deepToString((Object[]) a.getArray());
        }
        return v instanceof Map<?, ?> m ? new TreeMap<>(m).toString() : "" + v;
    }

    static List<String[]> columns() throws Exception {
        List<String[]> out = new ArrayList<>();
        ResultSet r = c.createStatement().executeQuery("SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'things'::regclass AND attnum > 1 ORDER BY attnum");
        while (r.next()) {
            out.add(new String[] {r.getString(1), r.getString(2)});
        }
        return out;
    }

    static void back() throws Exception {
        for (String[] column : columns()) {
            PreparedStatement s = c.prepareStatement("SELECT id, " + column[0] + " FROM things WHERE id < ? ORDER BY id");
            s.setInt(1, 9);
            ResultSet r = s.executeQuery();
            System.out.println("  " + column[0] + " " + r.getMetaData().getColumnTypeName(2) + " " + r.getMetaData().getColumnType(2) + " " + r.getMetaData().getColumnClassName(2) + " " + r.getMetaData().getPrecision(2));
            while (r.next()) {
                String text = r.getString(2);
                try {
                    Object v = r.getObject(2);
                    PreparedStatement t = c.prepareStatement("SELECT ?::" + column[1] + ", (?::" + column[1] + ") IS NOT DISTINCT FROM " + column[0] + " FROM things WHERE id = ?");
                    Object sent = v;
                    if (v == null || v instanceof String) {
                        PGobject o = new PGobject();
                        o.setType(column[1].replaceAll("\\(.*", ""));
                        o.setValue(text);
                        sent = o;
                    }
                    t.setObject(1, sent);
                    t.setObject(2, sent);
                    t.setInt(3, r.getInt(1));
                    ResultSet back = t.executeQuery();
                    back.next();
                    System.out.println("    " + text + " | " + show(v) + " | " + Objects.equals(text, back.getString(1)) + " " + back.getBoolean(2));
                } catch (Exception e) {
                    System.out.println("    " + text + " | " + said(e));
                }
            }
        }
    }

    static void arrays() throws Exception {
        PreparedStatement s = c.prepareStatement("SELECT ?, ?, ?, ?::text, count(*) FROM things WHERE a_mood = ANY (?) AND a_positive <> ALL (?) OR a_hstore = ?");
        for (int i : new int[] {1, 5}) {
            s.setArray(i, c.createArrayOf("mood", new String[] {"sad", "very \"happy\"", null}));
        }
        s.setArray(2, c.createArrayOf("numeric", new Object[] {new java.math.BigDecimal("1.50"), null}));
        s.setArray(3, c.createArrayOf("int4range", new String[] {"[1,3)", "empty"}));
        s.setArray(4, c.createArrayOf("address", new String[] {"(x,1,)", null}));
        s.setArray(6, c.createArrayOf("positive", new Integer[] {7}));
        s.setObject(7, Map.of("k", "v"));
        ResultSet r = s.executeQuery();
        r.next();
        System.out.println("  " + show(r.getArray(1)) + show(r.getArray(2)) + show(r.getArray(3)) + r.getString(4) + " " + r.getInt(5));
        r = c.createStatement().executeQuery("SELECT a_hstore, some_hstores, ROW(1, 'x'), t FROM (SELECT id, a_mood, a_hstore, some_hstores FROM things) t ORDER BY id");
        while (r.next()) {
            System.out.println("  " + show(r.getObject(1)) + " " + show(r.getObject(2)) + " " + r.getObject(3) + " " + r.getObject(4));
        }
    }

    static void metadata() throws Exception {
        for (ResultSet r : new ResultSet[] {c.getMetaData().getUDTs(null, "public", "%", null), c.getMetaData().getUDTs(null, null, "mood", new int[] {java.sql.Types.DISTINCT, java.sql.Types.STRUCT}), c.getMetaData().getColumns(null, "public", "things", "%"),
            c.getMetaData().getColumns(null, null, "address", null)}) {
            for (int n = r.getMetaData().getColumnCount(); r.next();) {
                StringBuilder line = new StringBuilder(" ");
                for (int i = 1; i <= n; i++) {
                    line.append(" ").append(r.getString(i));
                }
                System.out.println(line);
            }
        }
    }

    static void copies() throws Exception {
        var copies = c.unwrap(PGConnection.class).getCopyAPI();
        for (String form : new String[] {"", "(FORMAT csv, HEADER)", "(FORMAT binary)"}) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            System.out.println("  " + copies.copyOut("COPY things TO STDOUT " + form, out) + " " + out.size());
            c.createStatement().execute("TRUNCATE returned");
            System.out.println("  " + copies.copyIn("COPY returned FROM STDIN " + form, new ByteArrayInputStream(out.toByteArray())));
            ResultSet r = c.createStatement().executeQuery("SELECT count(*) FROM things t JOIN returned r ON t IS NOT DISTINCT FROM r");
            r.next();
            System.out.println("  " + r.getInt(1));
        }
    }

    static void wrong() throws Exception {
        for (String[] one : new String[][] {{"mood", "no"}, {"positive", "0"}, {"short", "toolong"}, {"short", null}, {"moods", "{ok,ok,ok,ok}"}, {"near", "(x,6000,)"}, {"address", "(x,-1,)"},
            {"address[]", "{\"(x,-1,)\"}"}, {"moodrange", "[ok,sad]"}, {"address", "(x,1)"}, {"hstore", "a=>"}, {"int4multirange", "{[1,2)"}}) {
            try (PreparedStatement s = c.prepareStatement("SELECT ?")) {
                PGobject o = new PGobject();
                o.setType(one[0]);
                o.setValue(one[1]);
                s.setObject(1, o);
                ResultSet r = s.executeQuery();
                r.next();
                System.out.println("  " + r.getString(1));
            } catch (org.postgresql.util.PSQLException e) {
                var m = e.getServerErrorMessage();
                System.out.println("  " + e.getSQLState() + " " + (m == null ? e.getMessage() : m.getMessage() + " | " + m.getDetail() + " | " + m.getSchema() + " " + m.getDatatype() + " " + m.getConstraint() + " | " + m.getWhere()));
            }
        }
    }
}
