import { z } from 'zod';

/** Scripts whose letters join, or whose syllables join, and which therefore need joiners to be spelled. */
const JOINING_SCRIPTS =
  'Adlam Arabic Balinese Batak Bengali Bhaiksuki Chakma Cham Chorasmian Devanagari Dogra Grantha Gujarati Gunjala_Gondi Gurmukhi Hanifi_Rohingya Javanese Kaithi Kannada Khmer Khojki Khudawadi Lepcha Limbu Malayalam Mandaic Manichaean Masaram_Gondi Meetei_Mayek Modi Mongolian Myanmar Nandinagari Newa Nko Old_Uyghur Oriya Phags_Pa Psalter_Pahlavi Saurashtra Sharada Siddham Sinhala Sogdian Sundanese Syriac Tai_Tham Takri Tamil Telugu Tibetan Tirhuta'
    .split(' ')
    .map((script) => `\\p{Script=${script}}`)
    .join('');

/** After a letter or a mark of such a script. The mark may also be one that all scripts share. */
const IN_A_WORD = `(?<=(?=\\p{L}|\\p{M})[${JOINING_SCRIPTS}]\\p{M}*)[\\u200C\\u200D]`;

/** Between two emoji, as in a family. The first may have a skin tone or the mark of its coloured form. */
const IN_AN_EMOJI = '(?<=\\p{Extended_Pictographic}[\\uFE0F\\p{Emoji_Modifier}]?)\\u200D(?=\\p{Extended_Pictographic})';

/** No control, format, surrogate, private-use or unassigned character, and no separator of lines or paragraphs. */
const PRINTABLE = new RegExp(`^(?:[^\\p{C}\\p{Zl}\\p{Zp}]|${IN_A_WORD}|${IN_AN_EMOJI})+$`, 'u');

/**
 * Text of any script for people. Invisible characters are refused, above all those that change the order in which a text
 * is shown; a zero-width joiner or non-joiner is accepted where it changes what is seen.
 */
export const printable = (maxLength: number) =>
  z
    .string()
    .refine((text) => [...text].length <= maxLength && PRINTABLE.test(text), {
      error: `must be 1 to ${maxLength} printable characters`,
    })
    // No pattern: `\p{…}` is not in every language's expressions. JSON Schema counts code points too.
    .meta({ minLength: 1, maxLength });
