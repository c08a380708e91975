"""Words for who and what: people, what is recommended, who made it, and what they are called by.

Each class has English and the abbreviations of warehouses first, then other languages, about a line each.
"""

from __future__ import annotations

from evenhand.plan.init.meaning.vocabulary.words_of import words

USER = words(
    """
    user users usr uid member customer visitor viewer reader listener account person consumer buyer
    guest passenger student subscriber player shopper seeker applicant profile
    kaeufer leser hoerer nutzer benutzer kunde kundin mitglied
    utilisateur client usager membre usuario cliente utente utilizador gebruiker klant
    ouvinte oyente ascoltatore auditeur luisteraar comprador acheteur koper assinante leitor lector lecteur
    klient klienta uzytkownik uzytkownika sluchacz sluchacza czytelnik czytelnika
    uye kullanici musteri izleyici abonne adherent auditeurs
    candidato candidata candidatos bewerber candidat sollicitant kandydat kandydata
    cust cstmr mbr memb vwr lstnr rdr subscr sbscr shopr hshld visitante huesped estudiante alumno
    alumna oyentes
    suscriptor suscriptora aluno hospede voyageur abonnes lecteurs acheteurs
    ospite studente studenti acquirente lettore abbonato
    gast gaeste besucher besucherin schueler hoererin leserin kijker bezoeker lezer gebruikers
    widz odwiedzajacy uczen kupujacy gosc abonent
    uzivatel zakaznik ctenar posluchac navstevnik divak
    anvandare kund besokare lasare lyssnare tittare medlem
    bruker lytter bruger laeser gjest gaest
    kayttaja kavija asiakas jasen lukija kuuntelija katsoja katselija vieras opiskelija
    felhasznalo vasarlo ugyfel latogato olvaso hallgato nezo
    utilizatori vizitator cumparator cititor ascultator
    dinleyici okuyucu ziyaretci misafir ogrenci
    pengguna pelanggan pendengar penonton pembaca pembeli pengunjung anggota
    khach nguoidung riyosha kokyaku kaiin shichosha dokusha sayongja gogaek hoewon upyogakarta grahak
    darshak shrota pathak
    """
)
ITEM = words(
    """
    item items iid video movie film song track product article post ad advert listing doc document news
    book content asin sku job restaurant recipe business asset clip pin game app course story episode
    podcast hotel offer artikel produkt beitrag anzeige angebot stueck produit objet annonce producto
    articulo anuncio oferta prodotto articolo annuncio produto artigo advertentie
    vaga vagas vacancy vacante vacature
    libro livre buch livro boek ksiazka kitap
    urun tarif recette receta ricetta rezept ilan haber kurs cours curso corso
    gig faixa cancion brano lied piosenka utwor utworu produktu oferty ogloszenie klus
    itm prd prdct vid trk epi lstg pelicula noticia articulos productos leccion
    filme musica produtos imovel imoveis
    chanson morceau oeuvre logement
    annunci ricette corsi brani notizia
    inserat anzeigen rezepte hoerbuch buecher
    recepten woning aflevering
    przepis przepisu ogloszenia kursu ksiazki odcinek odcinka piosenki
    recept inzerat kniha pisen
    annons bok artikkel annonse avsnitt opskrift oppskrift episoder
    tuote kappale ilmoitus kohde kirja elokuva uutinen resepti jakso
    termek hirdetes cikk konyv
    produs anunt melodie reteta
    sarki filmler urunler makale
    lagu barang resep iklan lowongan buku produk
    sanpham baihat baiviet
    shohin kyoku dongyeongsang sangpum gaana pustak samachar
    object artwork
    obj
    """
)
CREATOR = words(
    """
    creator author artist seller publisher uploader provider vendor supplier maker channel employer host
    ersteller autor autorin verkaeufer anbieter auteur vendeur createur vendedor creador venditore
    autore artista kuenstler artiste sprzedawca sprzedawcy verkoper tworca tworcy
    empresa broker agent landlord owner instructor teacher trainer tutor chef cook partner merchant writer
    journalist podcaster streamer photographer
    corretor corretora corretores proprietario propietario makler vermieter dozent lehrer koch
    crtr artst sllr athr vndr mrchnt supl sllrs
    autores artistas docente docentes profesor profesora anfitrion dueno tienda
    professor professora anfitriao lojista
    vendeurs artistes enseignant boutique proprietaire
    venditori docenti insegnante ospitante
    kuenstlerin haendler lehrkraft gastgeber verlag
    auteurs docent kunstenaar winkel verhuurder
    autorka autorzy artysta wykonawca nauczyciel wydawca
    prodejce prodavajici umelec ucitel
    saljare forfattare konstnar larare utgivare
    selger forfatter kunstner laerer saelger vaert
    myyja tekija taiteilija opettaja kirjailija julkaisija isanta
    elado eladok szerzo muvesz tanar eloado
    vanzator artistul
    satici yazar sanatci ogretmen yayinci egitmen
    penjual penulis artis pencipta pengajar guru pengarang pembuat
    tacgia nguoiban casi
    sakka sakusha shuppin hanbaisha panmaeja jakga lekhak kalakar vikreta
    """
)
ID = words(
    """
    id ids key sk pk fk nr no num number ref reference code hash uuid guid kennung nummer ident idx index
    codigo cod numer numero
    nk identifiant identificador identificativo kod kodu kode tunnus azonosito cislo
    """
)
LIST = words(
    """
    list request session impression slate query page anfrage sitzung requete
    req sess rqst srch search lst srp
    sesion sesiones peticion lista busqueda sessao requisicao busca recherche sessione richiesta ricerca
    suche lijst verzoek sessie sesja sesji zapytanie dotaz sokning forespoersel
    istunto haku pyynto munkamenet kereses sesiune cautare oturum arama sesi daftar pencarian permintaan
    phien
    """
)
# What things have, and people have not.
OF_ITEMS = words(
    """
    title price genre category duration brand description released release isbn url
    titel preis kategorie dauer marke titre prix categorie duree marque titulo precio categoria duracion
    marca titolo prezzo durata preco duracao estilo prijs merk tytul cena kategoria gatunek
    ttl prc ctg catg desc dsc judul harga merek kategori otsikko hinta luokka cijena pris tittel
    cenik nazev znacka rubrik varumarke kategorija marka fiyat baslik
    titlu pret tieude durasi
    """
)
# What people have, and things have not; people are protected by little of it.
OF_PEOPLE = words(
    """
    zip postcode plz cap email phone newsletter signup joined registered income occupation marital household
    telefon telefono beruf einkommen anmeldung iscrizione nome cognome vorname nachname surname firstname
    lastname prenom inscription
    zipcode pcode pstcd eml newslttr uutiskirje nyhetsbrev ilmoittautunut liittynyt rejestracja rejestracji
    abonament haslo imie nazwisko
    jmeno prijmeni etunimi sukunimi fornamn efternamn fornavn etternavn keresztnev vezeteknev prenume
    kabupaten correo apellido apellidos sobrenome cadastro indirizzo
    registrert registrerad
    """
)
VECTOR = words(
    """
    embedding embeddings emb vector vectors vec factors factor latent einbettung vektor
    """
)
