-- The most that may leave the account, as the card of a challenge showed it: JSON.
ALTER TABLE ai_challenges ADD COLUMN most TEXT NOT NULL DEFAULT '[]';
