package clients

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/lib/pq"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
)

// The models of GORM as they begin.
type gormAuthor struct {
	ID        uint
	CreatedAt time.Time
	UpdatedAt time.Time
	DeletedAt gorm.DeletedAt `gorm:"index"`
	Name      string         `gorm:"size:40;not null;uniqueIndex"`
	Born      *time.Time     `gorm:"type:date"`
	Books     []gormBook     `gorm:"foreignKey:AuthorID;constraint:OnUpdate:CASCADE,OnDelete:CASCADE"`
}

type gormBook struct {
	ID       uint
	Title    string `gorm:"index:book_title,priority:2"`
	AuthorID uint   `gorm:"index:book_title,priority:1;not null"`
	Author   gormAuthor
	Price    float64   `gorm:"type:numeric(8,2);default:0"`
	Tags     []gormTag `gorm:"many2many:book_tags"`
	Extra    string    `gorm:"type:jsonb;default:'{}'"`
	Blob     []byte
}

type gormTag struct {
	ID   uint
	Name string `gorm:"unique"`
}

func (gormAuthor) TableName() string { return "authors" }
func (gormBook) TableName() string   { return "books" }
func (gormTag) TableName() string    { return "tags" }

// The models of GORM after some time.
type gormAuthor2 struct {
	ID        uint
	CreatedAt time.Time
	UpdatedAt time.Time
	DeletedAt gorm.DeletedAt `gorm:"index"`
	Name      string         `gorm:"size:80;not null;uniqueIndex;comment:as on the cover"`
	Born      *time.Time     `gorm:"type:date"`
	Email     string         `gorm:"default:none;index:author_lower_email,expression:lower(email)"`
	MentorID  *uint
	Mentor    *gormAuthor2
	Books     []gormBook2 `gorm:"foreignKey:AuthorID;constraint:OnUpdate:CASCADE,OnDelete:CASCADE"`
}

type gormBook2 struct {
	ID       uint
	Title    string `gorm:"type:varchar(100);index:book_title,priority:2;not null;default:''"`
	AuthorID uint   `gorm:"index:book_title,priority:1;not null"`
	Author   gormAuthor2
	Price    float64        `gorm:"type:numeric(10,3);default:0;check:price_not_negative,price >= 0"`
	Tags     []gormTag      `gorm:"many2many:book_tags;joinForeignKey:gorm_book_id;joinReferences:gorm_tag_id"`
	Extra    string         `gorm:"type:jsonb;default:'{}'"`
	Words    pq.StringArray `gorm:"type:text[];default:'{}'"`
	Token    *string        `gorm:"type:uuid;default:gen_random_uuid()"`
	Sold     int64          `gorm:"index:book_sold,sort:desc,where:sold > 0"`
	Blob     []byte
}

func (gormAuthor2) TableName() string { return "authors" }
func (gormBook2) TableName() string   { return "books" }

// gormRun is a walk through GORM.
type gormRun struct {
	printer
	db *gorm.DB
}

// statements is a logger of GORM that keeps the statements which define something.
type statements struct {
	logger.Interface
	seen []string
}

func (s *statements) LogMode(logger.LogLevel) logger.Interface { return s }

func (s *statements) Trace(_ context.Context, _ time.Time, fc func() (string, int64), _ error) {
	if text, _ := fc(); regexp.MustCompile(`^(CREATE|ALTER|DROP|COMMENT)`).MatchString(text) {
		s.seen = append(s.seen, withKeysInOrder(text))
	}
}

// withKeysInOrder is a statement with its foreign keys in the order of their names: GORM takes them from a map.
func withKeysInOrder(text string) string {
	key := regexp.MustCompile(`CONSTRAINT "\w+" FOREIGN KEY \([^()]*\) REFERENCES "\w+"\([^()]*\)[\w ]*`)
	sorted := key.FindAllString(text, -1)
	slices.Sort(sorted)
	return key.ReplaceAllStringFunc(text, func(string) string {
		first := sorted[0]
		sorted = sorted[1:]
		return first
	})
}

func gormClient(ctx context.Context, p printer) error {
	seen := &statements{Interface: logger.Discard}
	db, err := gorm.Open(postgres.Open("sslmode=disable"), &gorm.Config{Logger: seen, TranslateError: false,
		NowFunc: func() time.Time { return time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC) }})
	if err != nil {
		return err
	}
	r := &gormRun{printer: p, db: db.WithContext(ctx)}
	for _, models := range [][]any{{&gormAuthor{}, &gormBook{}, &gormTag{}}, {&gormAuthor2{}, &gormBook2{},
		&gormTag{}}} {
		for _, time := range []string{"first", "second"} {
			p.title("AutoMigrate, the %s time", time)
			p.line(r.db.AutoMigrate(models...))
			for _, text := range seen.seen {
				p.line(text)
			}
			seen.seen = nil
		}
	}
	for _, part := range []func() error{r.migrator, r.creates, r.finds, r.changes, r.transactions, r.drops} {
		if err := part(); err != nil {
			p.line("FAILED", err)
		}
	}
	pool, err := r.db.DB()
	if err != nil {
		return err
	}
	return pool.Close()
}

// migrator looks around, and changes what there is.
func (r *gormRun) migrator() error {
	r.title("the migrator")
	m := r.db.Migrator()
	r.line(m.CurrentDatabase(), m.HasTable("books"), m.HasTable(&gormTag{}), m.HasTable("nothing"),
		m.HasColumn(&gormBook2{}, "sold"),
		m.HasIndex(&gormBook2{}, "book_title"), m.HasConstraint(&gormBook2{}, "price_not_negative"),
		m.HasConstraint(&gormAuthor2{}, "Books"))
	tables, err := m.GetTables()
	r.line(len(tables), err)
	for _, model := range []any{&gormAuthor2{}, &gormBook2{}} {
		types, err := m.ColumnTypes(model)
		if err != nil {
			return err
		}
		slices.SortFunc(types, func(a, b gorm.ColumnType) int { return strings.Compare(a.Name(), b.Name()) })
		for _, t := range types {
			length, _ := t.Length()
			precision, scale, _ := t.DecimalSize()
			null, _ := t.Nullable()
			unique, _ := t.Unique()
			key, _ := t.PrimaryKey()
			increment, _ := t.AutoIncrement()
			value, has := t.DefaultValue()
			comment, _ := t.Comment()
			r.line(t.Name(), t.DatabaseTypeName(), length, precision, scale, null, unique, key, increment, value,
				has, comment)
		}
		indexes, err := m.GetIndexes(model)
		if err != nil {
			return err
		}
		slices.SortFunc(indexes, func(a, b gorm.Index) int { return strings.Compare(a.Name(), b.Name()) })
		for _, x := range indexes {
			unique, _ := x.Unique()
			key, _ := x.PrimaryKey()
			r.line(x.Table(), x.Name(), x.Columns(), unique, key)
		}
	}
	r.line(m.RenameColumn(&gormTag{}, "name", "label"), m.HasColumn(&gormTag{}, "label"), m.RenameColumn(&gormTag{},
		"label", "name"))
	r.line(m.RenameTable("book_tags", "tags_of_books"), m.HasTable("book_tags"), m.RenameTable("tags_of_books",
		"book_tags"))
	r.line(m.RenameIndex(&gormBook2{}, "book_title", "title_of_book"), m.RenameIndex(&gormBook2{}, "title_of_book",
		"book_title"))
	r.line(m.DropIndex(&gormBook2{}, "book_sold"), m.CreateIndex(&gormBook2{}, "book_sold"))
	r.line(m.DropConstraint(&gormBook2{}, "price_not_negative"), m.CreateConstraint(&gormBook2{}, "price_not_negative"))
	r.line(m.DropColumn(&gormBook2{}, "blob"), m.AddColumn(&gormBook2{}, "Blob"), m.AlterColumn(&gormBook2{}, "Title"))
	r.line(m.CreateView("dear", gorm.ViewOption{Replace: true, Query: r.db.Model(&gormBook2{}).Where("price > ?",
		10).Select("id", "title")}), m.DropView("dear"))
	return nil
}

// done prints the rows that a call touched, and how it failed.
func (r *gormRun) done(tx *gorm.DB, values ...any) {
	var of *pgconn.PgError
	if errors.As(tx.Error, &of) {
		r.line(append([]any{tx.RowsAffected, of}, values...)...)
		return
	}
	r.line(append([]any{tx.RowsAffected, fmt.Sprint(tx.Error)}, values...)...)
}

func (r *gormRun) creates() error {
	r.title("creating")
	token := "a0000000-0000-0000-0000-000000000001"
	born := time.Date(1980, 2, 29, 0, 0, 0, 0, time.UTC)
	ann := gormAuthor2{Name: "Ann", Born: &born, Books: []gormBook2{
		{Title: "One", Price: 12.5, Extra: `{"a": [1, {"b": null}]}`, Words: pq.StringArray{"x", "y z"},
			Tags: []gormTag{{Name: "new"}, {Name: "red"}}},
		{Title: "Two", Price: 7, Sold: 3, Blob: []byte{0, 255}}}}
	r.done(r.db.Create(&ann), ann.ID, ann.Email, ann.Books[0].ID, ann.Books[0].Tags[1].ID, ann.Books[1].Extra)
	bob := gormAuthor2{Name: "Bob", MentorID: &ann.ID}
	r.done(r.db.Create(&bob), bob.ID)
	r.done(r.db.Create(&gormAuthor2{Name: "Ann"}))
	r.done(r.db.Create(&gormBook2{Title: "x", AuthorID: ann.ID, Price: -1, Token: &token}))
	r.done(r.db.Create(&gormBook2{Title: "x", AuthorID: 999}))
	var many []gormBook2
	for n := range 25 {
		many = append(many, gormBook2{Title: fmt.Sprintf("Many %02d", n), AuthorID: bob.ID, Price: float64(n),
			Sold: int64(n % 4)})
	}
	r.done(r.db.CreateInBatches(&many, 10), many[24].ID)
	r.done(r.db.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "name"}},
		DoUpdates: clause.AssignmentColumns([]string{"email"})}).
		Create(&[]gormAuthor2{{Name: "Ann", Email: "ann@example.org"}, {Name: "Cem"}}))
	r.done(r.db.Clauses(clause.OnConflict{DoNothing: true}).Create(&gormTag{Name: "red"}))
	r.done(r.db.Clauses(clause.OnConflict{UpdateAll: true}).Create(&gormTag{ID: 1, Name: "newer"}))
	r.done(r.db.Model(&gormTag{}).Create(map[string]any{"name": "map"}))
	var tag gormTag
	r.done(r.db.Where(gormTag{Name: "first"}).FirstOrCreate(&tag), tag.ID > 0, tag.Name)
	return nil
}

func (r *gormRun) finds() error {
	r.title("finding")
	var author gormAuthor2
	r.done(r.db.Preload("Books", func(db *gorm.DB) *gorm.DB { return db.Order("books.title") }).
		Preload("Books.Tags").First(&author, "name = ?", "Ann"), author.Email)
	for _, b := range author.Books {
		r.line(b.Title, b.Price, b.Extra, fmt.Sprint(b.Words), len(b.Tags), b.Blob)
	}
	var books []gormBook2
	r.done(r.db.Joins("Author").Where(`"Author".name = ?`, "Bob").Order("books.id DESC").Limit(3).Offset(2).
		Find(&books))
	for _, b := range books {
		r.line(b.Title, b.Author.Name, b.Sold)
	}
	var sums []struct {
		Name  string
		N     int
		Total float64
	}
	r.done(r.db.Model(&gormAuthor2{}).
		Select("authors.name, count(books.id) AS n, coalesce(sum(books.price), 0) AS total").
		Joins("LEFT JOIN books ON books.author_id = authors.id").Group("authors.name").Having("count(books.id) > ?",
		0).Order("authors.name").Scan(&sums), fmt.Sprint(sums))
	var titles []string
	r.done(r.db.Model(&gormBook2{}).Where("jsonb_exists(extra->'a'->1, 'b') AND extra @> ?", `{"a": [1]}`).
		Pluck("title", &titles), titles)
	r.done(r.db.Model(&gormBook2{}).Where("extra @> ? AND words && ?", `{"a": [1]}`, pq.StringArray{"x"}).
		Pluck("title", &titles), titles)
	r.done(r.db.Model(&gormBook2{}).Where("title IN ?", []string{"One", "Two"}).Or(r.db.Where("price > ?", 23)).
		Order("title").Pluck("title", &titles), titles)
	r.done(r.db.Model(&gormBook2{}).Distinct("sold").Order("sold").Pluck("sold", &titles), titles)
	var n int64
	r.done(r.db.Model(&gormBook2{}).Where("author_id IN (?)", r.db.Model(&gormAuthor2{}).Select("id").
		Where("name LIKE ?", "B%")).Count(&n), n)
	r.done(r.db.First(&gormBook2{}, 9999))
	r.done(r.db.FindInBatches(&books, 10, func(tx *gorm.DB, batch int) error {
		r.line("batch", batch, len(books))
		return nil
	}))
	var top []map[string]any
	r.done(r.db.Raw("SELECT title, rank() OVER (PARTITION BY author_id ORDER BY price DESC) AS r FROM books WHERE price > @low ORDER BY 2, 1 LIMIT 3", map[string]any{"low": 5}).Scan(&top), fmt.Sprint(top))
	var locked gormBook2
	r.done(r.db.Clauses(clause.Locking{Strength: "UPDATE", Options: "SKIP LOCKED"}).First(&locked, "title = ?",
		"One"), locked.Title)
	rows, err := r.db.Model(&gormBook2{}).Where("sold = 3").Order("id").Rows()
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var b gormBook2
		if err := r.db.ScanRows(rows, &b); err != nil {
			return err
		}
		r.line(b.Title, b.Sold)
	}
	return rows.Err()
}

func (r *gormRun) changes() error {
	r.title("changing")
	var two gormBook2
	r.done(r.db.First(&two, "title = ?", "Two"))
	r.done(r.db.Model(&two).Updates(map[string]any{"price": gorm.Expr("price * ? + ?", 2, 1),
		"extra": gorm.Expr("jsonb_set(extra, '{n}', ?)", "5")}))
	r.done(r.db.Model(&gormBook2{}).Clauses(clause.Returning{Columns: []clause.Column{{Name: "title"}}}).
		Where("price < ?", 3).Update("sold", 7))
	two.Title = "Second"
	r.done(r.db.Save(&two))
	var books []gormBook2
	r.done(r.db.Clauses(clause.Returning{}).Where("title LIKE ?", "Many 1%").Delete(&books), len(books))
	var ann gormAuthor2
	r.done(r.db.First(&ann, "name = ?", "Ann"))
	tags := r.db.Model(&gormBook{ID: two.ID}).Association("Tags")
	r.line(tags.Append(&gormTag{Name: "late"}), tags.Count(), tags.Replace(&gormTag{ID: 2, Name: "red"}),
		tags.Count(), tags.Clear(), tags.Count())
	r.done(r.db.Delete(&ann))
	var n int64
	r.done(r.db.Model(&gormAuthor2{}).Count(&n), n)
	r.done(r.db.Unscoped().Delete(&ann))
	r.done(r.db.Exec("UPDATE authors SET mentor_id = NULL"))
	r.done(r.db.Exec("DELETE FROM book_tags"))
	r.done(r.db.Unscoped().Delete(&ann))
	r.done(r.db.Model(&gormBook2{}).Count(&n), n)
	return nil
}

func (r *gormRun) transactions() error {
	r.title("transactions")
	failed := errors.New("on purpose")
	r.line(r.db.Transaction(func(tx *gorm.DB) error {
		r.done(tx.Create(&gormTag{Name: "kept"}))
		r.line(tx.Transaction(func(tx *gorm.DB) error {
			r.done(tx.Create(&gormTag{Name: "lost"}))
			return failed
		}))
		tx.SavePoint("one")
		r.done(tx.Create(&gormTag{Name: "kept"}))
		r.done(tx.RollbackTo("one"))
		return nil
	}))
	r.line(r.db.Transaction(func(tx *gorm.DB) error {
		r.done(tx.Where("true").Delete(&gormTag{}))
		return failed
	}))
	var names []string
	r.done(r.db.Model(&gormTag{}).Order("name").Pluck("name", &names), strings.Join(names, " "))
	return nil
}

func (r *gormRun) drops() error {
	r.title("dropping")
	m := r.db.Migrator()
	r.line(m.DropTable(&gormTag{}, &gormBook2{}, &gormAuthor2{}, "book_tags"))
	tables, err := m.GetTables()
	r.line(tables, err)
	return nil
}
