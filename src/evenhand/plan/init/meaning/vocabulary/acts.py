"""Words for what users do, and what says so.

Each class has English and the abbreviations of warehouses first, then other languages, about a line each.
"""

from __future__ import annotations

from evenhand.plan.init.meaning.vocabulary.words_of import words

LIKED = words(
    """
    liked like likes click clicked clicks clk purchase purchased bought buy converted conversion saved
    save shared favorite favorited favourite engaged engagement positive label target relevant response
    reward feedback played listened read streamed downloaded starred basket wishlist
    finished completed watched booked applied ordered order hearted
    upvote upvoted thumbs y outcome success accepted opened followed follow cart interested reaction
    geklickt klick klicks warenkorb merkzettel gelesen gehoert
    gefaellt gemocht gekauft kauf angesehen gemerkt bestellt clic clique
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
    lk slk lkd slike slikes clkd purch prch buys conv cnv sav svd fvrt bkmrk wl wsh appl apply subscribe
    ord ordd bkd cmpl cmplt cmpltd fin fnsh rply replied matched hired hire enroll
    enrol wish wishlisted watchlist watchlisted invited
    commented tipped donate
    replayed replay unlocked redeemed redeem bookings booking reserved reservation borrows
    gustaron encanta inscrito inscrita inscripcion inscribio apuntado matriculado matriculada comprada
    guardada favoritos
    reservado reservada pedido pedidos visto escuchado leido clics suscrito contrato contratado contratada
    postulado postulo
    curtir gostou gostei reservou matriculou assinou ouviu assistiu leu favoritou
    aimee adore achats inscrite commande commandee ecoute ecoutee regarde telecharge embauche postule
    sauvegarde
    comprato comprata ordinata iscritto iscritta iscrizione prenotato prenotata salvata ascoltato letto
    cliccata
    gebucht bestellung gefolgt abonniert beworben bewerbung gestreamt heruntergeladen favorisiert angehoert
    eingestellt gelikt zugesagt
    besteld gereserveerd aangeschaft gesolliciteerd geluisterd bekeken bewaart ingeschreven vind
    kupil kupila kupiony zakup zakupiono zamowienie zamowiono ulubione ulubiony lubi zapisano obejrzane
    przeczytane zarezerwowano aplikowal kliknal klikniecie
    koupeno koupil objednano objednavka oblibene oblibeny libi ulozeno kliknuto prihlaseno rezervovano
    kopt gillat gillar gilla sparad bestalld bokad ansokt favorit klickat
    kjopt likte lagret bestilt favoritt klikket kobt gemt sokt
    tykkasi tykatty tykkays ostettu ostos osti tilattu tilaus suosikki tallennettu klikattu klikkaus varattu
    hakenut ostanut
    tetszik kedvelte kedvelt megvette vasarolt vasarlas mentve megrendelte rendeles kedvenc kattintas
    kattintott jelentkezett
    placut cumparat apreciat salvat comandat abonat achizitionat rezervat
    begendi begenildi begeni begenme satinalma siparis favorilere tiklandi tiklama tikladi kaydedildi
    kaydetti basvuru basvurdu
    suka disukai menyukai beli dibeli pembelian simpan disimpan pesan dipesan langganan lamar dilamar
    favoritkan diklik klik
    thich damua muahang dathang
    okiniiri konyu kounyu koonyuu iine kounyuu joahyo joayo gumae gumaeham jjim pasand kharida kharid
    """
)
# Of those that say liked, the least: whoever opens something may not like it.
OPENED = words(
    """
    open opened opens opn opnd click clicked clicks clk clkd tap tapped view viewed views vw seen impression
    hover hovered expanded expand previewed preview
    abierto abierta visto vista clic clics aberto aberta viu ouvert ouverte vu aperto aperta geoeffnet
    angesehen angeklickt geklickt klick klicks geopend
    bekeken geklikt otwarte otwarto otwarty klikniete otevreno zobrazeno oppnad oppnade klickat apnet aabnet
    avattu avasi klikattu katsottu megnyitott megnyitva deschis acildi goruntulendi dibuka buka dilihat
    lihat hiraita yeollam damo xem
    """
)
DISLIKED = words(
    """
    dislike disliked hide hidden hid report reported skip skipped unfollow block blocked downvote spam
    refund refunded returned bounce bounced negative blockiert ausgeblendet versteckt masque rechazado
    dismiss dismissed discard discarded reject rejected decline declined ignored muted unsubscribed
    abandoned
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
    dlk dslk dsls skp rjct rfnd rtrn cncl unsub blk bnce nope none nothing ignoring noop ignores
    dismisses flagging negatives unlike unlikes unwatched thumbsdown downvoted downvotes uninterested
    noaction
    dropout abandons unpurchased
    nada ninguno ninguna rechazada ocultada ocultar saltada reportado devuelta descartada omitida ignorada
    oculta
    nenhum nenhuma cancelou devolveu ocultou ignorou rejeitou reclamou
    rien refuse refusee rejetee masquee signalee ignoree
    niente nulla annullata rifiutata scartata saltata nascosto nascosta segnalato restituito
    nichts ignoriere zurueckgeschickt gesperrt versteckte ueberspringen ausblenden verborgene
    niets geen afgekeurd teruggestuurd overslaan genegeerd gemeld
    pominieto odrzucono anulowano zwrocono ukryto zgloszono ignorowane
    nichego odmitnuto zruseno skryto preskoceno vraceno
    ingenting inget avvisad dold hoppad avbruten returnerad avbokad anmald avvist skjult hoppet avbrutt
    returnert afvist annulleret
    mitaan hylatty piilotettu ohitettu peruttu peruutettu palautettu estetty ohitti hylkasi
    semmi elutasitott elrejtett kihagyott lemondott visszakuldott elutasitva elrejtve kihagyva
    nimic respins ascuns sarit anulat returnat
    hicbir hicbiri reddedildi reddetti gizlendi gizle atlandi atladi iptal begenmedi
    tidak bukan lewati dilewati sembunyikan disembunyikan tolak ditolak batal dibatalkan abaikan diabaikan
    boqua huybo tuchoi
    kyohi hihyoji chwiso geojeol hwanbul napasand chhoda
    """
)
# Of rows of tests, staff and machines, which say nothing of users.
INTERNAL = words(
    """
    test tests testing internal int bot bots robot staff employee debug qa dev dummy collaudo intern prueba
    teste essai
    """
)
# Said of what was shown, not of what users did.
SHOWN = words(
    """
    impression impressions shown view viewed exposed exposure seen served angezeigt vue
    impr shw shwn displayed display displays appeared rendered viewable vws
    mostrado mostrada mostrados impresion impresiones visualizado
    exibido exibida impressao impressoes mostrou
    affiche affichee affichage
    mostrato visualizzato visualizzata impressione
    gezeigt eingeblendet ausgespielt einblendung
    getoond vertoond weergegeven
    wyswietlenie wyswietlenia wyswietlono pokazano wyswietlony zobrazeno zobrazeni
    visad visning visningar vist visninger
    naytto naytot naytetty nahty
    megjelenites mutatott megjelenitve
    afisat afisare vizualizat
    gosterildi gosterim gosterimler
    tayang ditampilkan tampil tampilan dilihat
    hienthi hyoji nochul dikhaya
    """
)
RATING = words(
    """
    rating ratings rated stars star bewertung sterne wertung note notation nota puntuacion valoracion
    calificacion valutazione voto avaliacao beoordeling
    rtg rtng ocena oceny ocenka hodnoceni betyg arvosana arvio ertekeles puan penilaian bintang
    danhgia hyoka pyeongjeom recensione vurdering avaliacoes estrellas etoiles gwiazdki tahdet csillag
    """
)
DWELL = words(
    """
    dwell duration watchtime playtime seconds secs ms msec millis sec verweildauer dauer duree duracion
    durata listentime readtime stay spent segundos sekunden secondes secondi tiempo
    dw dwl wtch lstn elapsed tmspent watchsec playsec viewtime
    detik menit sekuntia sekunnit kesto katseluaika kuunteluaika sekund sekundy sekundit sekunder
    saniye masodperc secunde varaktighet varighet tijdsduur luistertijd kijktijd thoigian byo
    """
)
EVENT = words(
    """
    event action interaction behavior behaviour activity ereignis aktion evento accion
    evt evnt act actn intr behav
    tapahtuma toiminto zdarzenie akcja udalost akce handelse atgard hendelse handling haendelse esemeny
    muvelet
    eveniment actiune olay eylem kejadian aksi tindakan sukien hanhdong kodo dongjak
    acao interacao interaccion interazione azione evenement actie gebeurtenis handlung reakcia
    """
)
# Two words of which one says yes, as text files have them in the place of 1 and 0.
YES_AND_NO = (
    ("y", "n"), ("yes", "no"), ("true", "false"), ("t", "f"), ("ja", "nein"), ("j", "n"), ("ja", "nee"),
    ("oui", "non"), ("o", "n"), ("si", "no"), ("sí", "no"), ("s", "n"), ("sim", "não"), ("sim", "nao"),
    ("ja", "nej"), ("ja", "nei"), ("kyllä", "ei"), ("kylla", "ei"), ("k", "e"), ("joo", "ei"),
    ("tak", "nie"), ("ano", "ne"), ("a", "n"), ("áno", "nie"), ("igen", "nem"), ("i", "n"), ("da", "nu"),
    ("d", "n"), ("da", "ne"), ("evet", "hayır"), ("evet", "hayir"), ("e", "h"), ("ya", "tidak"),
    ("có", "không"), ("co", "khong"), ("c", "k"), ("hai", "iie"), ("ye", "aniyo"), ("ne", "aniyo"),
    ("haan", "nahin"), ("haan", "nahi"), ("vero", "falso"), ("v", "f"), ("wahr", "falsch"), ("vrai", "faux"),
    ("on", "off"),
)  # fmt: skip
