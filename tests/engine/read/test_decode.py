from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import SourceError
from engine.read import ReadOptions, read
from engine.read.decode import encoding_of

WRITTEN = [
    ("cp1252", "Numéro;Société;Adresse\n1;Pâtisserie Lefèvre;rue de la Liberté\n2;Café des Élèves;avenue du Général\n"),
    ("cp1252", "Straße;Ort\nHauptstraße;München\nMühlenweg;Köln\nBäckergasse;Düsseldorf\n"),
    ("cp1252", "Nombre;Dirección\nJosé Núñez;Cádiz\nMaría Peña;Málaga\n"),
    ("cp1252", "Città;Qualità\nForlì;così\nCantù;più\n"),
    ("cp1252", "Item;Price\nCafé crème;€ 3,50\nThé “vert”;€ 2,00\n"),
    ("cp1252", "item,price\nTea,£3.50\nCoffee,£4.20\n"),
    ("cp1250", "Jméno;Město\nJiří Dvořák;Plzeň\nZdeněk Růžička;Ústí nad Labem\n"),
    ("cp1250", "Imię;Miasto\nŁukasz Wiśniewski;Łódź\nGrażyna Żak;Kraków\n"),
    ("iso8859-2", "Név;Város\nErdős Pál;Győr\nSzűcs Ödön;Hódmezővásárhely\n"),
    ("cp1251", "Код;Клиника\n1;Поликлиника\n2;Больница\n"),
    ("koi8-r", "Код;Клиника\n1;Поликлиника\n2;Больница\n"),
    ("cp866", "Код;Клиника\n1;Поликлиника\n2;Больница\n"),
    ("cp1255", "שם;עיר\nמרפאה;תל אביב\nבית מרקחת;חיפה\n"),
    ("cp1256", "الاسم;المدينة\nمستشفى السلام;القاهرة\n"),
    ("cp1253", "Όνομα;Πόλη\nΓιώργος;Αθήνα\nΕλένη;Θεσσαλονίκη\n"),
    ("cp1254", "Ad;Şehir\nAyşe Yılmaz;İstanbul\nÇağrı Öztürk;Eskişehir\n"),
    ("cp1257", "Vardas;Miestas\nŽydrūnas;Šiauliai\nJūratė;Panevėžys\n"),
    ("shift_jis", "名前,住所\n山田太郎,東京都\n佐藤花子,大阪府\n"),
    ("euc_jp", "名前,住所\n山田太郎,東京都千代田区\n佐藤花子,大阪府大阪市\n鈴木一郎,北海道札幌市\n"),
    ("big5", "姓名,城市\n張偉,臺北市\n王芳,高雄市\n李娜,新竹縣\n"),
    ("gbk", "姓名,城市\n张伟,北京\n王芳,上海\n李娜,广州市天河区\n"),
    ("euc_kr", "이름,도시\n김철수,서울특별시\n이영희,부산광역시\n"),
    ("utf-8", "שם,עיר\nמרפאה,חיפה\n"),
    ("utf-8-sig", "name,city\nJosé,Paris\n"),
    ("utf-16", "name,city\nJosé,Paris\n"),
    ("utf-32", "name,city\nJosé,Paris\n"),
    ("utf-16-le", "name,city\nJosé,Paris\nAnna,Rome\n"),
    ("utf-16-be", "name,city\nJosé,Paris\nAnna,Rome\n"),
]


@pytest.mark.parametrize(("encoding", "text"), WRITTEN, ids=[f"{n}-{encoding}" for n, (encoding, _) in enumerate(WRITTEN)])
def test_text_is_read_as_it_was_written(tmp_path: Path, encoding: str, text: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode(encoding))
    found = encoding_of(path, "t.csv")
    with path.open(encoding=found.name, errors=found.errors, newline="") as file:
        assert file.read() == text


def test_a_few_stray_bytes_do_not_spoil_a_file_of_utf8(tmp_path: Path) -> None:
    lines = [f"Zoë {n},Málaga" for n in range(200)]
    data = "\n".join(["name,city", *lines]).encode() + b"\nJos\xe9,Rome\n"
    (tmp_path / "t.csv").write_bytes(data)
    table = read("t.csv", base=tmp_path)[0]
    assert table.columns[0].texts[-1] == "José"
    assert [(doubt.code, doubt.lines) for doubt in table.doubts] == [("stray_bytes", (202,))]


def test_a_given_encoding_is_held_to(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes("name,city\nx,y\nЖук,Орёл\n".encode("cp1251"))
    assert read("t.csv", ReadOptions(encoding="cp1251"), base=tmp_path)[0].columns[0].texts[1] == "Жук"
    with pytest.raises(SourceError, match=r"t.csv, line 3: these bytes are not utf-8"):
        read("t.csv", ReadOptions(encoding="utf-8"), base=tmp_path)


@pytest.mark.parametrize("name", ["wingdings", "hex", "idna", "rot13", "unicode_escape", "a\0b"])
def test_an_encoding_that_is_none_of_texts(tmp_path: Path, name: str) -> None:
    (tmp_path / "t.csv").write_text("name,city\nx,y\n")
    with pytest.raises(SourceError, match="there is no encoding of texts called"):
        read("t.csv", ReadOptions(encoding=name), base=tmp_path)


def test_binary_data_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(bytes(range(256)) * 40)
    with pytest.raises(SourceError, match="holds binary data"):
        read("t.csv", base=tmp_path)
