"""Words for what people are protected by.

Each class has English and the abbreviations of warehouses first, then other languages, about a line each.
"""

from __future__ import annotations

import re

from evenhand.plan.init.meaning.vocabulary.words_of import words

# By which people are protected, in other languages and as columns shorten it.
ALSO_PROTECTED = words(
    """
    gndr gend sx cinsiyet
    raca raza razza rasse rasa etnia ethnie etniciteit religiao religione religie religia
    nationalitaet staatsangehoerigkeit nationalite nacionalidad nacionalidade nazionalita nationaliteit
    behinderung handicap discapacidad deficiencia disabilita geslacht plec
    woman women female femme femmes frau frauen mujer mujeres donna mulher mulheres vrouw vrouwen kobieta
    kobiety minority disabled lgbtq
    sukupuoli kjonn pohlavi neme sexul kelamin gioitinh seibetsu seongbyeol
    eth ethn etnis etniskhet etnisitet etnicita etnikum irk kansalaisuus obywatelstwo narodowosc
    narodnost nationalitet allampolgarsag cetatenie uyruk kewarganegaraan kokuseki gukjeok
    vammaisuus niepelnosprawnosc funktionsnedsattning engelli disabilitas
    nainen naiset kvinna kvinnor kvinne kvinde zena kadin wanita perempuan
    religija uskonto agama
    """
)
# Of people, as anti-discrimination law and the literature name them; said to be sensitive and never
# assumed.
SENSITIVE = ALSO_PROTECTED | words(
    """
    gender sex age agegroup ageband ethnicity ethnic race religion nationality citizenship disability
    country ctry region language income occupation education marital zip postcode native migration
    orientation
    geschlecht alter altersgruppe herkunftsland land sprache beruf bildung einkommen sexe pays langue
    metier regiao regione sexo genero edad pais idioma sesso eta paese lingua idade leeftijd geslacht taal
    cntry rgn lang lng educ edu incm eth
    provincia comunidad aidinkieli kieli maakunta maa kraj jezyk wojewodztwo wyksztalcenie dochod zawod
    zeme jazyk vzdelani sprak utbildning inkomst yrke utdanning inntekt spraak
    koulutus tulot ammatti orszag nyelv vegzettseg
    limba educatie ulke egitim gelir meslek bolge
    negara provinsi bahasa pendidikan penghasilan pekerjaan daerah asal
    quocgia ngonngu estudios ingresos ocupacion escolaridade renda ocupacao formacion etudes revenu
    istruzione reddito professione
    opleiding inkomen beroep kuni chiiki
    """
)
AGE = words(
    """
    age alter edad eta idade leeftijd wiek
    etaria etario etarias
    ika ikaryhma wiekowa alder aldersgrupp eletkor korcsoport varsta yas usia umur tuoi nenrei umri
    """
)
BIRTH = words(
    """
    birth born birthyear yob geburtsjahr geburt geboren jahrgang naissance nacimiento nascita nascimento
    geboortejaar geboorte urodzenia nasc naiss dogum dob birthdate birthday
    byr brth nacido nasceu urodz narozeni narozen fodd fodelsear fodt fodselsar fodested
    syntynyt syntymavuosi syntymaaika szuletes szuletett nascut nastere dogumyili lahir kelahiran namsinh
    seinen saengnyeon janm
    """
)
# Said of an attribute besides: it is of nobody else for that.
SAID_BESIDE = words(
    """
    an yil yili tarihi year yr of date dt group band range code jahr annee ano anno rok jaar de at
    """
)
PROTECTED = (
    AGE
    | BIRTH
    | ALSO_PROTECTED
    | words(
        """
        gender sex agegroup ageband ethnicity ethnic race religion disability geschlecht altersgruppe
        sexe sexo genero sesso nationality
        """
    )
)
# What is written where nothing is known of somebody: a value that is no group.
UNSTATED = frozenset(
    one.strip()
    for one in re.split(
        r"[|\n]",
        """
        unknown|unk|unkn|unspecified|undisclosed|not stated|not given|not specified|not provided|no answer
        prefer not to say|n/a|na|none|null|nan|missing|not available|other/unknown
        unbekannt|keine angabe|k.a.|k. a.|ohne angabe|nicht angegeben
        inconnu|inconnue|non renseigne|non renseignee|non precise|nc
        desconocido|desconocida|sin especificar|no especificado|no indicado|sin dato|sin datos
        desconhecido|desconhecida|nao informado|nao informada|nao declarado|nao declarada
        sconosciuto|sconosciuta|non indicato|non dichiarato|non specificato
        onbekend|niet opgegeven|nieznane|nieznany|nie podano|brak danych
        okand|ej angivet|ukjent|ukendt|ikke oppgitt|ikke angivet|tuntematon|ei tiedossa|ei ilmoitettu
        ismeretlen|nincs megadva|necunoscut|nespecificat|neznamo|neuvedeno
        bilinmiyor|belirtilmemis|tidak diketahui|tidak disebutkan|khong ro|fumei
        """,
    )
    if one.strip()
)
