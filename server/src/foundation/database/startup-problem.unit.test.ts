import { expect, test } from 'vitest';
import { startupProblem } from './startup-problem.js';

const problemOf = (fields: { code: string; severity?: string }) =>
  startupProblem(Object.assign(new Error('It failed'), fields), 'postgres://user@db.test/top');

test.each(['LOST_BEFORE_COMMIT', 'CONNECTION_ENDED', 'CONNECTION_CLOSED', 'ANSWER_TIMEOUT'])(
  'a start that loses its connection with %s is repeated: Postgres does not answer',
  (code) => {
    expect(problemOf({ code })).toMatchObject({
      isTemporary: true,
      message: expect.stringContaining(`does not answer (${code})`),
    });
  },
);

test.each(['57014', '25P03', '40001', '40P01', '57P03', '53300'])(
  'a start that Postgres refuses with %s, which passes, is repeated',
  (code) => {
    expect(problemOf({ code, severity: 'ERROR' })).toMatchObject({
      isTemporary: true,
      message: 'Postgres at db.test cannot be used at the moment: It failed.',
    });
  },
);

test('names every host, and says that none of them is a primary', () => {
  const onStandby = Object.assign(new Error('It failed'), { code: 'CONNECTION_DESTROYED' });
  expect(startupProblem(onStandby, 'postgres://user:secret@a.test:5432,b.test/top')).toMatchObject({
    isTemporary: true,
    message: expect.stringMatching(/^Postgres at a\.test:5432,b\.test has no primary/),
  });
});

test('a start on a standby is repeated, and says so', () => {
  expect(problemOf({ code: '25006', severity: 'ERROR' })).toMatchObject({
    isTemporary: true,
    message: 'Postgres at db.test is a standby. Promote it, or name the primary in DATABASE_URL.',
  });
});

test('a start with a wrong password is not repeated', () => {
  expect(problemOf({ code: '28P01', severity: 'FATAL' })).toMatchObject({ isTemporary: false });
});
