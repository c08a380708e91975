"""Words for how rows came to be: what chose them, when, where in a list.

Each class has English and the abbreviations of warehouses first, then other languages, about a line each.
"""

from __future__ import annotations

from evenhand.plan.init.meaning.vocabulary.words_of import words

SCORE = words(
    """
    relevanz
    score scores scr prediction predicted pred logit yhat punktzahl puntaje punteggio vorhersage pontuacao
    wynik
    scor skor skore punteggi punkty poang poengsum pistemaara pisteet pontszam scorul
    puntuacion pontuacoes skoru diem
    """
)
RANK = words(
    """
    rank position pos place slot rang platz stelle posicion posizione rango positie
    ordem orden ordre ordine reihenfolge volgorde kolejnosc sira
    rnk pstn slt sija sijainti paikka pozice pozycja pozycji miejsce poradi plats placering plass plassering
    plads
    pozitie helyezes sorszam urutan posisi peringkat siralama vitri sunwi puesto posicao
    rangorde platzierung
    """
)
PREFERENCE = words(
    """
    preference taste utility affinity praeferenz preferencia preferenza
    afinidade afinidad affinite affinita affinitaet affiniteit
    """
)
PROBABILITY = words(
    """
    probability prob propensity pscore wahrscheinlichkeit probabilite probabilidad
    """
)
ARM = words(
    """
    arm variant treatment experiment exp ab abtest cell condition variante versuch bucket testgroup
    varnt vrnt trtmnt expt exprmnt abgroup testarm variacion varianta varyant kokeilu kiserlet experimento
    esperimento eksperimen
    """
)
CONTROL = words(
    """
    control baseline current prod production a old status kontrolle temoin off
    ctrl ctl cntl controle controllo kontrol kontrolli kontroll kontrolowa kontrolni holdout champion
    incumbent atual attuale aktuell huidig
    """
)
SOURCE = words(
    """
    source policy traffic origin logger logging mode strategy bucket selector served served_by quelle
    origem origen origine fuente herkunft politique politica kind type reason
    random explore exploration uniform
    zufall zufaellig aleatoire aleatorio
    src trfc plcy bkt algo algorithm model mdl modelo modele modello modell malli routing ohjaus
    fuentes fonte fontes sorgente zrodlo zdroj kalla kilde lahde forras sursa kaynak sumber nguon
    politik polityka strategia strategie strategi estrategia
    losowe
    """
)
RANDOM = words(
    """
    random rnd rand unif uniform uniformly explore exploration exploring unbiased shuffle shuffled
    randomised
    randomized zufall zufaellig zufallsverkehr aleatoire aleatorio casuale hasard azar willekeurig
    losowe losowo losowy sorteio sorteado sorteada sorteo ausgelost tirage loting
    sorteggio sorteggiato estratto lottery lotto lotterie lotteria loteria loterij dice dado dados
    wuerfel gewuerfelt dobbelsteen coinflip raffle
    rndm expl explr epsgreedy randomly randomization shuffling
    aleatoria aleatorios aleatorias azaroso
    aleatoires casuali casualmente
    zufaellige zufallsauswahl zufallsgenerator
    willekeurige losowa losowanie losowany nahodne nahodny nahodna
    slump slumpad slumpmassig slumpmassigt tilfeldig tilfeldige tilfaeldig
    satunnainen satunnais satunnaisesti arvottu sattuma
    veletlen veletlenszeru sorsolt
    intamplator aleator rastgele rasgele tesadufi
    acak ngaunhien musakui musagwi raendeom randamu yadrichchhik
    exploracion exploracao esplorazione erkundung
    """
)
# Of where or on what something was shown.
PLACE = words(
    """
    device devices dvc dvce platform os browser channel channels chnl surface srfc page screen scrn
    placement plcmt
    shelf module widget section tab layout ui
    dispositivo pantalla canal plataforma pagina ubicacion seccion appareil ecran plateforme emplacement
    geraet kanal seite bildschirm plattform
    schermo piattaforma apparaat scherm kanaal urzadzenie ekran strona zarizeni obrazovka enhet skarm sida
    skjerm laite kanava sivu
    eszkoz kepernyo csatorna oldal dispozitiv cihaz sayfa perangkat layar halaman saluran thietbi
    """
)
TIME = words(
    """
    time ts timestamp at datetime date day dt ds ymd when created datum tag zeit zeitpunkt zeitstempel
    uhrzeit jour horodatage dia fecha hora data giorno ora momento tijd dag week month
    dttm dtm tm tstamp tmstmp yyyymmdd mth
    fechahora horario
    heure orario
    uur czas godzina dzien hodina tidpunkt klokkeslett tidspunkt dato
    aika aikaleima paiva paivamaara kello idopont idobelyeg
    timp zaman tarih saat tanggal waktu ngay nichiji hizuke sigan nalja samay tarikh dinank
    """
)
# What tables of what could have been shown are called, with what a model says of each.
CANDIDATES = words(
    """
    candidate candidates cand cands scored eval evals evaluation evaluated holdout offline rerank ranking
    kandidat kandidaten kandidaat kandydaci candidats candidatos candidatas candidati
    ehdokkaat adaylar jelolt jeloltek
    """
)
