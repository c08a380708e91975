"""What people call things: the words that names of columns, tables and values are made of."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# English first, then German, French, Spanish, Italian, Portuguese, Dutch and Polish, as far as they differ.
USER = _words(
    """
    user users usr uid member customer visitor viewer reader listener account person consumer buyer
    guest passenger student subscriber player shopper seeker applicant profile
    kaeufer leser hoerer nutzer benutzer kunde kundin mitglied
    utilisateur client usager membre usuario cliente utente utilizador gebruiker klant
    ouvinte oyente ascoltatore auditeur luisteraar comprador acheteur koper assinante leitor lector lecteur
    klient klienta uzytkownik uzytkownika sluchacz sluchacza czytelnik czytelnika
    uye kullanici musteri izleyici abonne adherent auditeurs
    candidato candidata candidatos bewerber candidat sollicitant kandydat kandydata
    """
)
ITEM = _words(
    """
    item items iid video movie film song track product article post ad advert listing doc document news
    book content asin sku job restaurant recipe business asset clip pin game app course story episode
    podcast hotel offer artikel produkt beitrag anzeige angebot stueck produit objet annonce producto
    articulo anuncio oferta prodotto articolo annuncio produto artigo advertentie
    vaga vagas vacancy vacante vacature
    libro livre buch livro boek ksiazka kitap
    urun tarif recette receta ricetta rezept ilan haber kurs cours curso corso
    gig faixa cancion brano lied piosenka utwor utworu produktu oferty ogloszenie klus
    """
)
CREATOR = _words(
    """
    creator author artist seller publisher uploader provider vendor supplier maker channel employer host
    ersteller autor autorin verkaeufer anbieter auteur vendeur createur vendedor creador venditore
    autore artista kuenstler artiste sprzedawca sprzedawcy verkoper tworca tworcy
    empresa broker agent landlord owner instructor teacher trainer tutor chef cook partner merchant writer
    journalist podcaster streamer photographer
    corretor corretora corretores proprietario propietario makler vermieter dozent lehrer koch
    """
)
ID = _words(
    """
    id ids key sk pk fk nr no num number ref reference code hash uuid guid kennung nummer ident idx index
    codigo cod numer numero
    """
)

LIKED = _words(
    """
    liked like likes click clicked clicks clk purchase purchased bought buy converted conversion saved
    save shared favorite favorited favourite engaged engagement positive label target relevant response
    reward feedback played listened read streamed downloaded starred basket wishlist
    finished completed watched booked applied ordered order hearted
    upvote upvoted thumbs y outcome success accepted opened followed follow cart interested reaction
    geklickt klick klicks warenkorb merkzettel gelesen gehoert
    gefaellt gemocht gekauft kauf angesehen gemerkt bestellt clic cliqué clique
    achat achete aime vu gusta gustado compra comprado clicado hecho piace acquistato cliccato curtiu
    comprou geklikt gekocht leuk relevante polubione kupione klikniete
    shortlist shortlisted bookmark bookmarked subscribed tapped selected added geoeffnet gespeichert
    ouvert enregistre abierto guardado aperto salvato aberto salvo geopend bewaard otwarte zapisane
    contacted contact enquired enquiry inquiry enrolled enrolment donated donation rsvp checkout
    contato contatou contacto contacte contactado kontaktiert kontakt contatto contattato
    fav favs fave faved curtida curtidas candidatou candidatura inscreveu clicou salvou reacao reaccion
    reazione reaktion reactie reakcja
    thumbup loved love hearts kudos superlike superliked pinned repinned reposted retweeted asked lingered
    loaned borrowed rented piaciuto piaciuta piaciuti preferito preferita preferiti ordinato
    cucinato favoritado favori favoris favorito
    """
)
DISLIKED = _words(
    """
    dislike disliked hide hidden hid report reported skip skipped unfollow block blocked downvote spam
    refund refunded returned bounce bounced negative blockiert ausgeblendet versteckt masque rechazado
    dismiss dismissed discard discarded reject rejected decline declined ignored muted unsubscribed abandoned
    uebersprungen weggeklickt abgelehnt verworfen saute ignore rejete descartado descartou omitido saltado
    pulou pulado rejeitado ocultado oculto saltato scartato rifiutato overgeslagen weggeklikt afgewezen
    verborgen pominiete odrzucone ukryte
    not non nicht kein keine hides hiding skips blocks blocklist blacklist dislikes dismissals rejects
    rejections complaint complaints complained flagged banned refunds returns cancel cancels cancelled
    denunciou denunciado denunciada denuncia denuncias
    canceled cancellation cancellations abort aborted aborts abandon removed deleted unliked unsaved
    unfollowed unfollows mute mutes churned abgebrochen abbruch storniert storno stornos stornierung
    reklamation reklamationen beschwerde beschwerden gemeldet retoure retouren zurueckgegeben annule
    annulee annulation plainte plaintes signale cancelado cancelada cancelacion cancelaciones queja
    quejas devuelto devolucion devoluciones annullato reclamo reclami reso resi bloccato reclamacao
    thumbdown rma ignorato ignorata ignorado ignoriert lamentele lamentela
    devolvido geannuleerd klacht klachten geblokkeerd anulowane skarga zwrot zwroty zablokowane
    """
)
# Of rows of tests, staff and machines, which say nothing of users.
INTERNAL = _words(
    """
    test tests testing internal int bot bots robot staff employee debug qa dev dummy collaudo intern prueba
    teste essai
    """
)
# Said of what was shown, not of what users did.
SHOWN = _words(
    """
    impression impressions shown view viewed exposed exposure seen served angezeigt vue
    """
)
RATING = _words(
    """
    rating ratings rated stars star bewertung sterne wertung note notation nota puntuacion valoracion
    calificacion valutazione voto avaliacao beoordeling
    """
)
DWELL = _words(
    """
    dwell duration watchtime playtime seconds secs ms msec millis sec verweildauer dauer duree duracion
    durata listentime readtime stay spent segundos sekunden secondes secondi tiempo
    """
)
EVENT = _words(
    """
    event action interaction behavior behaviour activity ereignis aktion evento accion
    """
)
SCORE = _words(
    """
    score scores scr prediction predicted pred logit yhat punktzahl puntaje punteggio vorhersage pontuacao
    wynik
    """
)
RANK = _words(
    """
    rank position pos place slot rang platz stelle posicion posizione rango positie
    ordem orden ordre ordine reihenfolge volgorde kolejnosc sira
    """
)
PREFERENCE = _words(
    """
    preference taste utility affinity praeferenz preferencia preferenza
    afinidade afinidad affinite affinita affinitaet affiniteit
    """
)
PROBABILITY = _words(
    """
    probability prob propensity pscore wahrscheinlichkeit probabilite probabilidad
    """
)
LIST = _words(
    """
    list request session impression slate query page anfrage sitzung requete
    """
)
ARM = _words(
    """
    arm variant treatment experiment exp ab abtest cell condition variante versuch bucket testgroup
    """
)
SOURCE = _words(
    """
    source policy traffic origin logger logging mode strategy bucket selector served served_by quelle
    origem origen origine fuente herkunft politique politica kind type reason
    random explore exploration uniform
    zufall zufaellig aleatoire aleatorio
    """
)
RANDOM = _words(
    """
    random rnd rand unif uniform uniformly explore exploration exploring unbiased shuffle shuffled randomised
    randomized zufall zufaellig zufallsverkehr aleatoire aleatorio casuale hasard azar willekeurig
    losowe losowo losowy sorteio sorteado sorteada sorteo ausgelost tirage loting
    sorteggio sorteggiato estratto lottery lotto lotterie lotteria loteria loterij dice dado dados
    wuerfel gewuerfelt dobbelsteen coinflip raffle
    """
)
TIME = _words(
    """
    time ts timestamp at datetime date day dt ds ymd when created datum tag zeit zeitpunkt zeitstempel
    uhrzeit jour horodatage dia fecha hora data giorno ora momento tijd dag week month
    """
)
CONTROL = _words(
    """
    control baseline current prod production a old status kontrolle temoin off
    """
)

# By which people are protected, in other languages and as columns shorten it.
_ALSO_PROTECTED = _words(
    """
    gndr gend sx cinsiyet
    raca raza razza rasse rasa etnia ethnie etniciteit religiao religione religie religia
    nationalitaet staatsangehoerigkeit nationalite nacionalidad nacionalidade nazionalita nationaliteit
    behinderung handicap discapacidad deficiencia disabilita geslacht plec
    woman women female femme femmes frau frauen mujer mujeres donna mulher mulheres vrouw vrouwen kobieta
    kobiety minority disabled lgbtq
    """
)
# Of people, as anti-discrimination law and the literature name them; said to be sensitive and never assumed.
SENSITIVE = _ALSO_PROTECTED | _words(
    """
    gender sex age agegroup ageband ethnicity ethnic race religion nationality citizenship disability
    country ctry region language income occupation education marital zip postcode native migration orientation
    geschlecht alter altersgruppe herkunftsland land sprache beruf bildung einkommen sexe pays langue
    metier regiao regione sexo genero edad pais idioma sesso eta paese lingua idade leeftijd geslacht taal
    """
)
AGE = _words(
    """
    age alter edad eta idade leeftijd wiek
    """
)
BIRTH = _words(
    """
    birth born birthyear yob geburtsjahr geburt geboren jahrgang naissance nacimiento nascita nascimento
    geboortejaar geboorte urodzenia nasc naiss dogum dob birthdate birthday
    """
)
PROTECTED = (
    BIRTH
    | _ALSO_PROTECTED
    | _words(
        """
    gender sex age agegroup ageband ethnicity ethnic race religion disability geschlecht alter
    altersgruppe sexe sexo genero edad sesso eta idade leeftijd geslacht plec wiek nationality
    """
    )
)
# Said of an attribute besides: it is of nobody else for that.
SAID_BESIDE = _words(
    """
    an yil yili tarihi year yr of date dt group band range code jahr annee ano anno rok jaar de at
    """
)
# What things have, and people have not.
OF_ITEMS = _words(
    """
    title price genre category duration brand description released release isbn url
    titel preis kategorie dauer marke titre prix categorie duree marque titulo precio categoria duracion
    marca titolo prezzo durata preco duracao estilo prijs merk tytul cena kategoria gatunek
    """
)
# What people have, and things have not; people are protected by little of it.
OF_PEOPLE = _words(
    """
    zip postcode plz cap email phone newsletter signup joined registered income occupation marital household
    telefon telefono beruf einkommen anmeldung iscrizione nome cognome vorname nachname surname firstname
    lastname prenom inscription
    """
)
VECTOR = _words(
    """
    embedding embeddings emb vector vectors vec factors factor latent einbettung vektor
    """
)
# Two words of which one says yes, as text files have them in the place of 1 and 0.
YES_AND_NO = (
    ("y", "n"), ("yes", "no"), ("true", "false"), ("t", "f"), ("ja", "nein"), ("j", "n"), ("ja", "nee"),
    ("oui", "non"), ("si", "no"), ("sí", "no"), ("sim", "não"), ("sim", "nao"),
)  # fmt: skip
