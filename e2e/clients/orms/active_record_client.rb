# Active Record: stock migrations, there and back, its schema dumper, and models.
require "logger"
require "active_record"
require "stringio"

ActiveRecord::Base.establish_connection(adapter: "postgresql", host: ENV["PGHOST"], port: ENV["PGPORT"],
  database: ENV["PGDATABASE"], username: ENV["PGUSER"], pool: 4, advisory_locks: true)
ActiveRecord::Base.default_timezone = :utc
Time.zone_default = Time.find_zone!("UTC")

FIXED = Time.utc(2026, 3, 1, 8)

def print_all(*values)
  puts "   " + values.map { |v| v.is_a?(String) ? v : v.inspect }.join(" ")
end

# said is an error in one line.
def said(error)
  of = error.cause.is_a?(PG::Error) ? error.cause : nil
  fields = [PG::Result::PG_DIAG_SQLSTATE, PG::Result::PG_DIAG_MESSAGE_DETAIL, PG::Result::PG_DIAG_CONSTRAINT_NAME]
  shown = of&.result ? fields.map { |f| of.result.error_field(f) } : []
  [error.class, error.message.split.join(" "), *shown].join(" | ")
end

def part(title)
  puts "\n== #{title}"
  yield
rescue StandardError => e
  puts "FAILED: #{said(e)}"
end

def fails
  yield
  print_all "did not fail"
rescue StandardError => e
  print_all said(e)
end

def migrations
  ActiveRecord::MigrationContext.new(File.join(__dir__, "active_record"), ActiveRecord::SchemaMigration)
end

# migrate moves to a version, or to the last, and prints what Active Record says and defines.
def migrate(version = nil)
  statements = []
  follow = ->(*, payload) { statements << payload[:sql] if payload[:sql] =~ /\A\s*(CREATE|ALTER|DROP|COMMENT|SELECT pg_\w*advisory)/ }
  messages = capture { ActiveSupport::Notifications.subscribed(follow, "sql.active_record") { migrations.migrate(version) } }
  messages.each_line { |l| print_all l.rstrip.gsub(/\d+\.\d+s/, "TIME").gsub(/=+$/, "") unless l.strip.empty? }
  statements.each { |text| print_all text.split.join(" ").gsub(/\d{9,}/, "N") }
  print_all migrations.current_version, migrations.needs_migration?, migrations.get_all_versions
end

def quietly = capture { yield }

# capture is what a block prints.
def capture
  out, $stdout = $stdout, StringIO.new
  yield
  $stdout.string
ensure
  $stdout = out
end

def dumped
  out = StringIO.new
  ActiveRecord::SchemaDumper.dump(ActiveRecord::Base.connection, out)
  out.string
end

def connection = ActiveRecord::Base.connection

class Author < ActiveRecord::Base
  belongs_to :mentor, class_name: "Author", optional: true
  has_many :pupils, class_name: "Author", foreign_key: :mentor_id
  has_many :books, -> { order(:title) }, dependent: :destroy
  has_many :opinions, as: :subject
  has_many :tags, through: :books
  store_accessor :profile, :lang
  validates :name, presence: true
end

class Book < ActiveRecord::Base
  belongs_to :author, touch: true
  has_and_belongs_to_many :tags
  enum state: { fresh: 0, sold: 1, lost: 2 }
  scope :dear, -> { where("price > ?", 10) }
end

class Opinion < ActiveRecord::Base
  belongs_to :subject, polymorphic: true
end

class Tag < ActiveRecord::Base
  has_and_belongs_to_many :books
end

class DearBook < ActiveRecord::Base
  self.primary_key = :id
end

class Membership < ActiveRecord::Base; end

part("migrations") { migrate 1 }

part("rows under the first migration") do
  connection.execute("INSERT INTO authors (name, created_at, updated_at) VALUES ('old', now(), now())")
  connection.execute("INSERT INTO books (title, author_id, created_at, updated_at) VALUES ('Old', 1, now(), now())")
  puts dumped
end

part("the other migrations") do
  migrate
  puts dumped
  print_all connection.select_rows("SELECT pages, price, state FROM books")
end

part("one migration back and again") do
  migrate 2
  quietly { migrations.rollback }
  print_all migrations.current_version
  quietly { migrations.run(:up, 2) }
  migrate
end

part("a migration that fails, and one that another runs") do
  fails { quietly { ActiveRecord::Migration[6.1].new.add_column :nothing, :x, :string } }
  other = PG.connect(host: ENV["PGHOST"], port: ENV["PGPORT"], dbname: ENV["PGDATABASE"], user: ENV["PGUSER"])
  key = ActiveRecord::Migrator.new(:up, [], ActiveRecord::SchemaMigration).send(:generate_migrator_advisory_lock_id)
  other.exec("SELECT pg_advisory_lock(#{key})")
  fails { migrations.migrate }
  other.close
  migrate
end

part("what the connection finds") do
  c = connection
  print_all c.tables.sort, c.views, c.data_sources.sort, c.extensions.sort, c.schema_names
  c.tables.sort.each do |table|
    print_all table, c.primary_keys(table), c.table_comment(table)
    c.columns(table).each { |x| print_all "  ", x.name, x.sql_type, x.type, x.limit, x.precision, x.scale, x.null, x.default, x.default_function, x.comment, x.array? }
    c.indexes(table).sort_by(&:name).each { |x| print_all "  ", x.name, x.columns, x.unique, x.where, x.orders, x.using, x.opclasses, x.comment }
    c.foreign_keys(table).sort_by(&:name).each { |x| print_all "  ", x.to_table, x.column, x.name, x.on_delete, x.on_update, x.validate? }
    c.check_constraints(table).sort_by(&:name).each { |x| print_all "  ", x.name, x.expression }
  end
  print_all c.index_exists?(:books, [:author_id, :title], unique: true), c.foreign_key_exists?(:books, :authors), c.column_exists?(:books, :state, :integer)
  print_all c.current_database, c.encoding, c.collation, c.ctype, c.schema_search_path, c.client_min_messages, c.database_version / 10000
  print_all c.default_sequence_name("authors"), c.pk_and_sequence_for("authors").map(&:to_s), c.reset_pk_sequence!("authors"), c.set_pk_sequence!("authors", 7)
end

part("creating") do
  ann = Author.create!(name: "Ann", email: "ann@example.org", birthday: Date.new(1980, 2, 29), profile: { "lang" => "de", "n" => [1, { "a" => nil }] }, words: ["x", "y z", nil, "\"q\""])
  ann.books.create!(title: "One", price: "12.5", lent: Date.new(2026, 3, 1)..Date.new(2026, 4, 1), from_host: "10.0.0.0/8", published_at: FIXED, tags: [Tag.new(id: "new"), Tag.new(id: "red")])
  ann.books.create!(title: "Two", price: 7, state: :sold, tags: [Tag.find("red")])
  ann.pupils.create!(name: "Bob", created_at: FIXED, updated_at: FIXED)
  ann.opinions.create!(stars: 4, body: "good", mood: "happy")
  ann.reload
  print_all ann.id, ann.email, ann.profile, ann.words, ann.lang, ann.nick, ann.books.map { |b| [b.title, b.price.to_s, b.state, b.lent, b.from_host&.to_s, b.published_at] }, ann.tags.map(&:id).sort, ann.opinions.pluck(:mood)
  print_all Author.find_by(email: "ann@example.org")&.name, Author.exists?(name: "Nobody"), Author.find_or_create_by!(name: "Cem").name
  fails { Author.create!(name: "Ann") }
  fails { Opinion.create!(subject: ann, mood: "angry") }
  fails { Author.create! }
  fails { Book.create!(title: "x", author_id: 999) }
  fails { Book.insert!({ title: "x", author_id: 999, created_at: FIXED, updated_at: FIXED }) }
  fails { Opinion.create!(subject: ann, stars: 9) }
  fails { Book.insert!({ id: "a0000000-0000-0000-0000-000000000001", title: nil, author_id: ann.id, created_at: FIXED, updated_at: FIXED }) }
  fails { Tag.find("red").delete }
  fails { Author.find(12345) }
  fails { Author.where("nothing = 1").load }
end

part("many at once") do
  now = { created_at: FIXED, updated_at: FIXED }
  print_all Author.insert_all((1..25).map { |n| { name: format("Many %02d", n), words: ["w#{n % 3}"], **now } }, returning: %w[name]).rows.length
  print_all Author.insert_all([{ name: "Many 01", **now }, { name: "Many 99", **now }], unique_by: :index_authors_on_name, returning: %w[name]).rows
  print_all Author.upsert_all([{ name: "Many 02", nick: "two", **now }, { name: "Many 98", nick: "new", **now }], unique_by: :name, returning: %w[name nick]).rows
  print_all Author.upsert({ name: "Many 03", nick: "three", **now }, unique_by: :name, returning: Arel.sql("name, length(nick) AS size")).rows
  fails { Author.insert_all!([{ name: "Many 04", **now }]) }
  print_all Author.where("name LIKE 'Many 2%'").update_all(["nick = name || ?", "!"]), Author.where(name: "Many 99").delete_all
  seen = []
  Author.where("name LIKE 'Many%'").find_each(batch_size: 7) { |a| seen << a.name }
  print_all seen.length, seen.first, seen.last
  Author.where("name LIKE 'Many%'").in_batches(of: 10) { |batch| print_all batch.update_all(nick: "batch") }
end

part("finding") do
  print_all Author.order(:name).limit(3).offset(1).pluck(:id, :name), Author.where(name: %w[Ann Bob]).count, Author.maximum(:name), Book.sum(:price).to_s, Book.average(:price).to_s
  print_all Author.where("words @> ARRAY[?]::varchar[]", "x").pluck(:name), Author.where("profile @> ?", { lang: "de" }.to_json).pluck(:name), Author.where("? = ANY (words)", "w1").count
  print_all Author.where(words: ["w1"]).count, Author.where(birthday: Date.new(1980)..Date.new(1981)).pluck(:name), Author.where(birthday: nil).where.not(name: "old").count
  print_all Author.joins(books: :tags).where(tags: { id: "red" }).distinct.pluck(:name), Author.left_joins(:books).group(:name).having("count(books.id) > 0").order("count(books.id) DESC, name").count("books.id")
  Author.includes(:mentor, books: :tags).where("authors.name < 'C'").order(:id).each { |a| print_all a.name, a.mentor&.name, a.books.map { |b| [b.title, b.tags.map(&:id).sort] } }
  print_all Author.eager_load(:books).where(books: { title: "One" }).map(&:name), Author.includes(:opinions).references(:opinions).where(opinions: { stars: 4 }).pluck(:name)
  print_all Book.dear.or(Book.sold).order(:title).pluck(:title), Book.fresh.count, Book.where("title ILIKE ?", "%ON%").pluck(:title), Book.where.missing(:tags).count, Book.where("lower(title) = ?", "two").ids.length
  print_all Book.where(lent: Date.new(2026, 3, 1)...Date.new(2026, 4, 1)).to_sql.include?("lent"), Book.where("lent @> ?::date", "2026-03-02").pluck(:title), Book.group(:state).order(:state).count, Book.group("date_trunc('year', published_at)").count.keys.length
  print_all DearBook.count, connection.select_all("SELECT 1 AS a, 2.5 AS b, now() IS NULL AS c, ARRAY[1,2] AS d, '{\"a\": 1}'::jsonb AS e, interval '1 day 2 hours' AS f").to_a
  print_all Author.find_by_sql(["SELECT name, rank() OVER (ORDER BY name DESC) AS r FROM authors WHERE id < ? ORDER BY 2 LIMIT 2", 100]).map { |a| [a.name, a.r] }
  print_all Author.where(id: Book.select(:author_id)).pluck(:name).sort, Author.from(Author.where("id < 5"), :authors).count, Author.select(:nick).distinct.order(:nick).map(&:nick), Author.none.count, Author.unscoped.extending.first.name
  print_all Author.where(name: "Ann").explain.lines.first.split(" for:").first
  print_all Author.connection.exec_query("SELECT $1::int + $2::int AS sum", "SQL", [[nil, 3], [nil, 4]]).rows, connection.select_value("SELECT count(*) > 0 FROM pg_prepared_statements")
end

part("changing") do
  book = Book.find_by!(title: "One")
  same = Book.find(book.id)
  book.update!(price: 13, lent: nil)
  fails { same.update!(title: "Lost") }
  print_all book.lock_version, same.reload.price.to_s, book.increment!(:pages).pages, book.toggle!(:kept), book.touch
  book.with_lock { book.update!(title: "Uno") }
  print_all Book.lock("FOR UPDATE SKIP LOCKED").where(title: "Uno").pluck(:title), Book.lock("FOR NO KEY UPDATE NOWAIT").find(book.id).title
  book.tags.delete("new")
  book.tags << Tag.find_or_create_by!(id: "blue")
  book.tag_ids = %w[red blue]
  print_all book.reload.tags.order(:id).pluck(:id), Book.where(id: book.id).update_counters(reviews_count: 2), book.reload.reviews_count
  author = Author.find_by!(name: "Ann")
  author.profile["new"] = true
  author.words << "z"
  print_all author.changed.sort, author.save, author.reload.profile, author.words
  print_all Membership.create!(author_id: 1, club: "a", lasts: "P1DT2H").lasts, Membership.where(club: "a").update_all(marks: "1111"), Membership.pluck(:club, :marks, :lasts)
  print_all Author.find_by!(name: "Bob").destroy.name, author.destroy.frozen?, Book.count, connection.select_value("SELECT count(*) FROM books_tags")
end

part("transactions") do
  Author.transaction do
    Author.create!(name: "Kept")
    Author.transaction(requires_new: true) { Author.create!(name: "Lost"); raise ActiveRecord::Rollback }
    fails { Author.transaction(requires_new: true) { Author.create!(name: "Kept") } }
    print_all Author.where(name: %w[Kept Lost]).pluck(:name)
  end
  fails { Author.transaction { Author.create!(name: "Never"); raise "on purpose" } }
  Author.transaction(isolation: :serializable) { print_all connection.select_value("SHOW transaction_isolation"), Author.where(name: "Never").count }
  fails { Author.transaction { fails { connection.execute("SELECT 1/0") }; Author.count } }
  print_all connection.get_advisory_lock(42), connection.release_advisory_lock(42), connection.select_value("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")
  connection.execute("SET statement_timeout = 50")
  fails { connection.execute("SELECT pg_sleep(5)") }
  connection.reset!
  print_all connection.select_value("SHOW statement_timeout"), connection.active?
  first = Thread.new { Author.connection_pool.with_connection { |c| c.select_value("SELECT pg_backend_pid()") } }.value
  print_all first != connection.select_value("SELECT pg_backend_pid()")
end

part("the schema loaded") do
  text = dumped
  connection.tables.each { |t| connection.drop_table(t, force: :cascade) }
  ActiveRecord::Schema.verbose = false
  eval(text)
  print_all connection.tables.sort
  puts text.lines - dumped.lines, dumped.lines - text.lines
  connection.truncate_tables("authors", "books", "books_tags")
  connection.disable_referential_integrity { connection.execute("INSERT INTO books (title, author_id, pages, created_at, updated_at) VALUES ('x', 77, 1, now(), now())") }
  print_all Book.count
end

part("all taken back") do
  (connection.tables - %w[schema_migrations ar_internal_metadata]).each { |t| connection.drop_table(t, force: :cascade) }
  connection.execute("DROP TYPE mood")
  ActiveRecord::SchemaMigration.delete_all
  quietly { [nil, 0].each { |version| migrations.migrate(version) } }
  print_all connection.tables.sort, connection.extensions.sort
end
ActiveRecord::Base.connection_pool.disconnect!
