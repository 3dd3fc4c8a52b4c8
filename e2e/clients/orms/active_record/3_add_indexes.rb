# Indexes that are built without a transaction.
class AddIndexes < ActiveRecord::Migration[6.1]
  disable_ddl_transaction!

  def change
    add_index :books, [:state, :published_at], algorithm: :concurrently, order: { published_at: "DESC NULLS LAST" }
    reversible do |way|
      way.up { add_index :authors, "(profile->>'lang')", name: "authors_lang", algorithm: :concurrently }
      way.down { remove_index :authors, name: "authors_lang", algorithm: :concurrently }
    end
    reversible { |way| way.up { validate_foreign_key :books_tags, :tags } }
  end
end
