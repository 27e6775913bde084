BEGIN TRANSACTION;
CREATE TABLE boards (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE
        , given_name TEXT);
INSERT INTO "boards" VALUES(1,'usb-9900000012345678','blue table');
INSERT INTO "boards" VALUES(2,'radio-9A1B2C3D',NULL);
INSERT INTO "boards" VALUES(3,'radio-00000007',NULL);
INSERT INTO "boards" VALUES(4,'usb-1',NULL);
INSERT INTO "boards" VALUES(5,'file-class.log',NULL);
INSERT INTO "boards" VALUES(6,'page',NULL);
CREATE TABLE boots (
            board INTEGER NOT NULL REFERENCES boards,
            boot TEXT NOT NULL,
            hardware TEXT NOT NULL,   -- V1 or V2
            release TEXT NOT NULL,
            table_id TEXT NOT NULL,
            heard INTEGER,
            PRIMARY KEY (board, boot, hardware, release, table_id)
        );
INSERT INTO "boots" VALUES(1,'3E5A5FD2','V1','1.0.0','2798',1790000000020);
CREATE TABLE games (
            id INTEGER PRIMARY KEY,
            board INTEGER NOT NULL REFERENCES boards,
            boot TEXT NOT NULL,       -- four or eight hex digits
            number INTEGER NOT NULL,  -- counts from 1 since boot
            again INTEGER NOT NULL,
            seats TEXT NOT NULL,      -- player A's and B's: P, E, M or H
            first TEXT NOT NULL,      -- who began: A or B
            moves TEXT NOT NULL,      -- cells 0 to 8
            times TEXT NOT NULL,      -- for each move, ms since the game began; empty if not heard
            ms INTEGER NOT NULL,      -- of the last sentence, since the game began
            end TEXT NOT NULL,        -- as in the sentence: - A B = x
            started INTEGER,
            heard INTEGER, played_before INTEGER, by_radio INTEGER NOT NULL DEFAULT 0, start_by_radio INTEGER NOT NULL DEFAULT 0,            -- when the last sentence came
            UNIQUE (board, boot, number, again)
        );
INSERT INTO "games" VALUES(1,1,'11111111',5,0,'PH','A','04182',',,,,5000',5000,'A',NULL,1790000000040,1790000000040,0,0);
INSERT INTO "games" VALUES(2,1,'11111111',6,0,'PH','A','4','',1010,'x',NULL,1790000000050,1790000000050,0,0);
INSERT INTO "games" VALUES(3,1,'3E5A5FD2',1,0,'PH','A','402635178','1000,,,,,,,,9000',9000,'=',1790000001000,1790000010100,NULL,0,0);
INSERT INTO "games" VALUES(4,1,'3E5A5FD2',2,0,'PH','A','80','1000,2000',2010,'x',1790000020000,1790000022010,NULL,0,0);
INSERT INTO "games" VALUES(5,1,'3E5A5FD2',3,0,'PH','A','1357',',,3000,4000',4000,'-',1790000030000,1790000034000,NULL,0,0);
INSERT INTO "games" VALUES(6,2,'22222222',4,0,'PH','A','408217653','1000,,,,,,,8000,9000',9000,'=',1790000040000,1790000048000,NULL,1,1);
INSERT INTO "games" VALUES(7,1,'3E5A5FD2',7,0,'PH','A','402635178','1000,2000,3000,,5000,,,,9000',9000,'=',1790000060000,1790000063000,NULL,1,0);
INSERT INTO "games" VALUES(8,3,'3E5A5FD2',7,1,'PH','A','80',',2000',2000,'-',1790000068000,1790000070000,NULL,1,1);
INSERT INTO "games" VALUES(9,1,'3E5A5FD2',8,0,'PH','A','04182','1000,2000,,,5000',5000,'A',1790000080000,1790000082000,NULL,0,1);
INSERT INTO "games" VALUES(10,4,'00000A83',1,0,'PH','A','402','1000,2000,3000',3000,'-',NULL,NULL,NULL,0,0);
INSERT INTO "games" VALUES(11,4,'00000A83',1,1,'PH','A','402','900,1800,2700',2700,'-',NULL,NULL,NULL,0,0);
INSERT INTO "games" VALUES(12,5,'10000A83',1,0,'PH','A','40','1000,2000',2000,'-',NULL,NULL,NULL,0,0);
INSERT INTO "games" VALUES(13,6,'33333333',1,0,'PD','A','408217653','1000,2000,3000,4000,5000,6000,7000,8000,9000',9000,'=',1790000200000,1790000209000,NULL,0,0);
CREATE UNIQUE INDEX given_names ON boards (given_name COLLATE NOCASE);
CREATE INDEX games_by_moment ON games (coalesce(started, played_before));
CREATE INDEX games_by_boot ON games (boot, number) WHERE length(boot) = 8;
COMMIT;
PRAGMA user_version = 4;
PRAGMA application_id = 1852798311;
