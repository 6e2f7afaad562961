import t from "tap";
import { stem } from "../../../lib/text/porter.js";

// Every expected stem below was printed by nltk.stem.PorterStemmer().stem, NLTK 3.8.

/** Checks a list of "word>stem" items separated by white space. */
function expectStems(title: string, pairs: string): void {
  t.test(title, async (t) => {
    for (const pair of pairs.trim().split(/\s+/)) {
      const [word, expected] = pair.split(">");
      t.equal(stem(word!), expected, pair);
    }
  });
}

expectStems(
  "suffixes of Porter's paper",
  `caresses>caress ponies>poni ties>tie caress>caress cats>cat
   feed>feed agreed>agre plastered>plaster bled>bled motoring>motor sing>sing
   conflated>conflat troubled>troubl sized>size hopping>hop tanned>tan falling>fall hissing>hiss fizzed>fizz
   failing>fail filing>file happy>happi
   relational>relat conditional>condit rational>ration valency>valenc hesitancy>hesit digitizer>digit
   conformably>conform radically>radic differently>differ vilely>vile analogously>analog vietnamization>vietnam
   predication>predic operator>oper feudalism>feudal decisiveness>decis hopefulness>hope callousness>callous
   formality>formal sensitivity>sensit sensibility>sensibl
   triplicate>triplic formative>form formalize>formal electricity>electr electrical>electr hopeful>hope goodness>good
   revival>reviv allowance>allow inference>infer airliner>airlin gyroscopic>gyroscop adjustable>adjust
   defensible>defens irritant>irrit replacement>replac adjustment>adjust dependent>depend adoption>adopt
   homologous>homolog communism>commun activate>activ angularity>angular effective>effect bowdlerize>bowdler
   probate>probat rate>rate cease>ceas controlling>control roll>roll`,
);

expectStems(
  "words with a fixed stem",
  `sky>sky skies>sky dying>die lying>lie tying>tie news>news inning>inning innings>inning outing>outing
   outings>outing canning>canning cannings>canning howe>howe proceed>proceed exceed>exceed succeed>succeed`,
);

expectStems(
  "departures of NLTK from the paper",
  `dies>die flies>fli died>die spied>spi spy>spi fly>fli by>by enjoy>enjoy enjoyment>enjoy
   geology>geolog archaeology>archaeolog theologically>theolog hopefully>hope
   additionally>addit notionally>notion nationally>nation
   oxed>oxe axing>axe using>use owing>owe syzygy>syzygi a*ded>ad`,
);

expectStems(
  "upper case is lowered, but not for the fixed stems",
  "Camping>camp X>x Is>is SKY>ski Skies>ski Dying>dy İs>i̇s İing>i̇e",
);

expectStems(
  "other letters are consonants, and lengths count code points",
  `café>café cafés>café mañanas>mañana naïvely>naïv year’s>year’ 1990s>1990
   😀s>😀s 😀ies>😀ie 😀ed>😀ed a😀😀ed>a😀`,
);

expectStems("names of object members are ordinary words", "constructor>constructor __proto__>__proto__");

t.test("an empty word stays empty", async (t) => {
  t.equal(stem(""), "");
});
