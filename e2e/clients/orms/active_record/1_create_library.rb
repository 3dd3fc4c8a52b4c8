# The tables of the library as they begin.
class CreateLibrary < ActiveRecord::Migration[6.1]
  def change
    enable_extension "pgcrypto"
    enable_extension "pg_trgm"
    reversible do |way|
      way.up { execute "CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')" }
      way.down { execute "DROP TYPE mood" }
    end
    create_table :authors, comment: "who writes" do |t|
      t.string :name, limit: 80, null: false, index: { unique: true }
      t.string :email
      t.date :born
      t.jsonb :profile, default: {}, null: false
      t.string :words, array: true, default: []
      t.references :mentor, foreign_key: { to_table: :authors, on_delete: :nullify }
      t.timestamps
    end
    create_table :books, id: :uuid do |t|
      t.text :title, null: false
      t.belongs_to :author, null: false, foreign_key: true
      t.decimal :price, precision: 8, scale: 2, default: 0
      t.integer :pages, limit: 2
      t.integer :lock_version, default: 0, null: false
      t.binary :cover
      t.boolean :kept, default: true
      t.datetime :published_at, precision: 6
      t.daterange :lent
      t.inet :from_host
      t.integer :reviews_count, default: 0, null: false
      t.timestamps
      t.index [:author_id, :title], unique: true
      t.index :price, where: "kept", name: "books_kept", order: { price: :desc }
      t.index "lower(title)", name: "books_lower_title"
      t.index :title, using: :gin, opclass: :gin_trgm_ops, name: "books_title_trigrams"
      t.check_constraint "price >= 0", name: "price_not_negative"
    end
    add_index :authors, :profile, using: :gin
    create_table :reviews do |t|
      t.references :subject, polymorphic: true
      t.integer :stars, limit: 8
      t.column :mood, :mood, default: "ok", null: false
      t.text :body, comment: "as it was written"
    end
    create_table :books_tags, id: false do |t|
      t.uuid :book_id, null: false
      t.string :tag_id, null: false
      t.index [:tag_id, :book_id], unique: true
    end
    create_table :tags, id: false do |t|
      t.string :id, primary_key: true
    end
  end
end
