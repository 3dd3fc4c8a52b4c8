# What a library wants after some time.
class ChangeLibrary < ActiveRecord::Migration[6.1]
  def change
    add_column :authors, :nick, :string, default: "none", comment: "what friends say"
    add_column :books, :state, :integer, default: 0, null: false
    rename_column :authors, :born, :birthday
    rename_index :books, "books_kept", "books_dear"
    rename_table :reviews, :opinions
    change_column_null :books, :pages, false, 1
    change_column_default :books, :price, from: 0, to: 9.5
    change_column_comment :books, :title, from: nil, to: "on the cover"
    change_table_comment :books, from: nil, to: "what is read"
    reversible do |way|
      way.up do
        change_column :books, :pages, :bigint, default: 10
        change_column :authors, :name, :text, null: false
        change_column :authors, :nick, :string, limit: 40, null: false, default: "nobody"
        execute "ALTER TYPE mood ADD VALUE IF NOT EXISTS 'gone' BEFORE 'sad'"
        execute "CREATE VIEW dear_books AS SELECT id, title, price FROM books WHERE price > 100"
      end
      way.down do
        execute "DROP VIEW dear_books"
        change_column :authors, :name, :string, limit: 80
        change_column :authors, :nick, :string
        change_column :books, :pages, :integer, limit: 2, default: nil
      end
    end
    add_check_constraint :opinions, "stars BETWEEN 1 AND 5", name: "stars_are_few"
    remove_check_constraint :books, "price >= 0", name: "price_not_negative"
    add_foreign_key :books_tags, :books, on_delete: :cascade, on_update: :cascade
    add_foreign_key :books_tags, :tags, validate: false
    remove_column :books, :cover, :binary
    remove_index :authors, column: :profile, using: :gin
    create_table :memberships, primary_key: [:author_id, :club] do |t|
      t.bigint :author_id
      t.string :club
      t.interval :lasts
      t.bigint :fee, default: -> { "1 + 2" }
      t.datetime :since, default: -> { "CURRENT_TIMESTAMP" }
      t.column :marks, :bit, limit: 4, default: "0101"
    end
    add_index :memberships, :club, name: "memberships_of_club", unique: true, where: "club <> ''"
  end
end
