/** A body that objectCredentials.create accepts. */
export const newObjectCredential = (fields: object = {}) => ({
  name: 'Firmware store',
  endpoint: 'https://objects.example.com',
  region: 'eu-central-1',
  access_key_id: 'ACMEFIRMWARE',
  secret_access_key: 'wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY',
  ...fields,
});

/** A body that objectResources.create accepts. */
export const newObjectResource = (credential_id: string, fields: object = {}) => ({
  name: 'Firmware images',
  credential_id,
  bucket: 'acme-firmware',
  allowed_operations: ['UPLOAD', 'DOWNLOAD'],
  ...fields,
});
